import Foundation
import Operations
import Postgres
import TestTier
import Testing

/// Every page in both languages, light and dark, wide and narrow: no complaint of the browser, none of the
/// accessibility rules; and, with `TEST_SCREENSHOTS=1`, a picture of each in `.build/screenshots`.
@Suite(.slow, .serialized) struct PageTourTests {
  private struct Look {
    let language: String
    let theme: String
    let width: Int
    let height: Int
    /// axe-core reads a page for half a second, so it sees only two looks, which differ in everything.
    var isReadByAxe = false
    var name: String { "\(language)-\(width)\(theme == "dark" ? "-dark" : "")" }
  }

  private static let looks = [
    Look(language: "en", theme: "light", width: 1280, height: 900, isReadByAxe: true),
    Look(language: "en", theme: "light", width: 390, height: 844),
    Look(language: "ko", theme: "light", width: 1280, height: 900),
    Look(language: "ko", theme: "dark", width: 390, height: 844, isReadByAxe: true),
  ]

  @Test func `every page is sound in both languages, wide and narrow`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    let pages = try furnish(console)
    try signIn(console)
    try console.enter("en")
    for look in Self.looks {
      try browser.resize(width: look.width, height: look.height, isPhone: look.width < 600)
      try browser.script(
        """
        localStorage.setItem('upmc.language', arguments[0]);
        localStorage.setItem('upmc.theme', arguments[1]);
        document.cookie = `upmc-language=${arguments[0]}; path=/; samesite=strict`;
        """,
        [look.language, look.theme])
      try browser.open("/")
      try browser.waitFor("main[data-ready]")
      try console.expect(look.language)
      for (name, page) in pages {
        try browser.show(page)
        // Charts draw themselves after the page.
        if try browser.count("main canvas") > 0 {
          try browser.wait(
            "the chart on \(page)",
            """
            return [...document.querySelectorAll('main canvas')].every((one) =>
              one.getContext('2d').getImageData(0, 0, one.width, one.height).data.some((value) => value > 0));
            """)
        }
        try browser.screenshot("\(name)-\(look.name)")
        for finding in try look.isReadByAxe ? browser.accessibilityFindings() : browser.ownFindings() {
          Issue.record("\(name) (\(look.name)): \(finding)")
        }
        try browser.expectSilence("\(name) (\(look.name))")
      }
    }
    try dialogs(console)
  }

  /// The page before all others.
  private func signIn(_ console: ConsoleWorld) throws {
    let browser = console.browser
    for (width, height) in [(1280, 900), (390, 844)] {
      try browser.resize(width: width, height: height, isPhone: width < 600)
      try browser.open("/")
      try browser.waitFor("input[name=login]")
      try browser.screenshot("sign-in-\(width)")
      for finding in try browser.accessibilityFindings() { Issue.record("sign-in (\(width)): \(finding)") }
      try browser.expectSilence("sign-in (\(width))")
    }
  }

  /// A console with something on every page.
  private func furnish(_ console: ConsoleWorld) throws -> [(String, String)] {
    let world = console.world
    try console.startDevices(30, users: 20)
    try console.waitForDevices(30)
    func post(_ path: String, _ body: String) throws -> Reply {
      let reply = try world.client.call("POST", path, bearer: world.apiKey, body)
      #expect(reply.status < 300, "\(path): \(reply.text)")
      return reply
    }
    let app = World.appID
    let group = try #require(
      try post("/v1/admin/groups", #"{"appId":"\#(app)","name":"소식 받는 사람들"}"#).string("groupSeq"))
    _ = try post("/v1/admin/groups", #"{"appId":"\#(app)","name":"Seoul","parent":"\#(group)"}"#)
    _ = try post("/v1/admin/groups/\(group)/members", #"{"clientUids":["user1","user2","user3"]}"#)
    _ = try post(
      "/v1/admin/segments", #"{"appId":"\#(app)","name":"Recently seen","conditions":{"seen":{"within":"P30D"}}}"#)
    _ = try post(
      "/v1/admin/templates",
      #"{"appId":"\#(app)","name":"월급날","message":{"alert":{"title":"Payday","body":"%CNAME%"}}}"#)
    _ = try post(
      "/v1/admin/webhooks",
      #"{"appId":"\#(app)","url":"https://hooks.example.com/upmc","kinds":["message.finished","sms.requested"]}"#)
    _ = try post("/v1/admin/webhooks/1/test", "{}")
    _ = try post("/v1/admin/apps/\(app)/channels", #"{"name":"경기 7","storage":"latest"}"#)
    _ = try post(
      "/v1/admin/apps/\(app)/channels/1/updates",
      #"{"liveActivity":{"event":"update","timestamp":1,"contentState":{"home":1}}}"#)
    _ = try post("/v1/admin/imports", #"{"appId":"\#(app)","kind":"users","skipErrors":false}"#)
    _ = try world.client.call(
      "PUT", "/v1/admin/imports/1/parts/1?last=true", bearer: world.apiKey, "clientUid\nlee\nGUEST\n", type: "text/csv")
    _ = try world.client.call(
      "POST", "/v1/admin/audiences/csv?appId=\(app)", bearer: world.apiKey, "user1,Kim\n", type: "text/csv")
    _ = try world.client.call(
      "PUT", "/v1/admin/apps/\(app)/test-groups", bearer: world.apiKey,
      #"{"groups":[{"name":"품질 확인","clientUids":["user1","user2"]}]}"#)
    _ = try post("/v1/admin/api-keys", #"{"role":"sender","name":"back office"}"#)
    _ = try post("/v1/admin/accounts", #"{"login":"lee@example.com","name":"이서연","role":"operator"}"#)
    try console.connection.script(
      """
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at)
      SELECT gen_random_uuid(), app, 'ugone' || n, 1, 1, 1, 'deadbeef' || lpad(to_hex(n), 56, '0'), 'gone' || n, now(),
        now(), now() FROM apps, generate_series(1, 3) n;
      INSERT INTO devices (device, app, user_key, network, environment, state, psid, device_id, bound_at, registered_at,
        created_at, quarantined_at, quarantine_reason, quarantine_seqno)
      SELECT gen_random_uuid(), app, 'uaway' || n, 1, 1, 1, 'badcafe0' || lpad(to_hex(n), 56, '0'), 'away' || n, now(),
        now(), now(), now(), 'BadDeviceToken', 1 FROM apps, generate_series(1, 3) n;
      INSERT INTO hosted_files (name, app, suffix, type, bytes, part_bytes, sha256, created_at, expires_at)
      SELECT 'sound', app, '.mp3', 'audio/mpeg', 48213, 48213, '', now(), now() + interval '90 days' FROM apps;
      -- What is read in an hour is shown when the hour is over.
      INSERT INTO statistics_hours (app, at, network, lane, app_version, reason, accepted, rejected, expired, cancelled,
        skipped, received, read, joined, "left")
      SELECT app, date_trunc('hour', now()) - interval '1 day', 1, 1, '', '', 700, 0, 0, 0, 0, 500, 300, 0, 0 FROM apps
      """)
    var seqno = ""
    for (title, body) in [
      ("9월 소식", "이번 달의 새로운 기능을 확인해 보세요."), ("Payday", "Your salary has arrived, %CNAME%."),
      ("보안 알림", "새 기기에서 로그인했습니다."),
    ] {
      seqno = try #require(
        try post(
          "/v1/admin/messages",
          #"{"appId":"\#(app)","audience":{"all":true},"alert":{"title":"\#(title)","body":"\#(body)"},"lane":"bulk"}"#
        ).string("seqno"))
      _ = try world.finished(seqno)
    }
    let tomorrow = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 86_400))
    _ = try post(
      "/v1/admin/messages", #"{"appId":"\#(app)","audience":{"all":true},"alert":"Later","sendAt":"\#(tomorrow)"}"#)
    let device = try console.connection.run(
      Statement("test-device", "SELECT device::text FROM devices WHERE user_key = 'uuser1' LIMIT 1")
    ).text(0, 0)
    return [
      ("dashboard", "/"), ("compose", "/compose"), ("messages", "/messages"), ("message", "/messages/\(seqno)"),
      ("message-people", "/messages/\(seqno)?tab=people"), ("singles", "/messages?purpose=single"),
      ("message-shards", "/messages/\(seqno)?tab=shards"), ("copy", "/compose?copy=\(seqno)"),
      ("message-failures", "/messages/\(seqno)?tab=failures"),
      ("explain", "/messages/\(seqno)/people/user1"), ("people", "/people"), ("person", "/people/\(app)/user1"),
      ("devices", "/devices"), ("device", "/devices/\(device)"), ("groups", "/groups"), ("group", "/groups/\(group)"),
      ("segments", "/segments"), ("channels", "/channels"), ("aside", "/aside"), ("media", "/media"),
      ("audience-files", "/media?tab=audiences"), ("test-groups", "/test-groups"),
      ("statistics", "/statistics"), ("statistics-compared", "/statistics?range=week&compare=before"),
      ("campaign-ranking", "/statistics/campaigns"), ("server", "/server"),
      ("apps", "/apps"), ("app", "/apps/\(app)"), ("keys", "/keys"), ("accounts", "/accounts"),
      ("security", "/security"), ("audit", "/audit"),
      ("password", "/password"), ("nowhere", "/no-such-page"),
    ] + (try further(console))
  }

  /// Pages of what only some servers have.
  private func further(_ console: ConsoleWorld) throws -> [(String, String)] {
    let document = try console.world.client.call("GET", "/openapi.json").text
    return ["imports", "templates", "drafts", "senders", "approvals", "webhooks"].compactMap { name in
      document.contains("\"/v1/admin/\(name)\"") ? (name, "/\(name)") : nil
    } + [("webhook", "/webhooks/1"), ("import", "/imports/1")]
  }

  /// Questions and forms that stand before a page, on the last, narrow look.
  private func dialogs(_ console: ConsoleWorld) throws {
    let browser = console.browser
    for (name, page, button) in [
      ("new-app", "/apps", "#new-app"), ("new-key", "/keys", ".head .button.main"),
      ("new-account", "/accounts", ".head .button.main"), ("new-group", "/groups", ".head .button.main"),
      ("new-segment", "/segments", "#new-segment"), ("new-webhook", "/webhooks", "#new-webhook"),
      ("new-channel", "/channels", "#new-channel"),
      ("new-template", "/templates", ".head .button.main"),
      ("new-sender", "/senders", ".head .button.main"), ("new-test-group", "/test-groups", "#new-test-group"),
      ("new-page", "/compose?tab=page", "#write-page"),
    ] {
      try browser.show(page)
      try browser.script("document.querySelector('details.section')?.setAttribute('open', '')")
      try browser.click(button)
      try browser.waitFor("dialog[open]")
      try browser.screenshot("dialog-\(name)")
      for finding in try browser.accessibilityFindings() { Issue.record("\(name): \(finding)") }
      try browser.press(.escape)
      try browser.wait("no dialog", "return document.querySelector('dialog') === null")
    }
    try browser.show("/")
    try browser.click(".menu-button")
    try browser.waitFor(".side.open")
    try browser.screenshot("menu-phone")
    for finding in try browser.accessibilityFindings() { Issue.record("menu: \(finding)") }
    try browser.press(.escape)
    try browser.wait("the menu closed", "return document.querySelector('.side.open') === null")
    #expect(try browser.script("return document.activeElement.matches('.menu-button')") as? Bool == true)
    try browser.expectSilence("dialogs")
  }

  @Test func `the keyboard reaches everything, in order, and one always sees where one is`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    try browser.show("/apps")
    // Pages begin at their heading; the way past the navigation stands before everything else, and shows itself.
    let isSeen = try browser.script(
      "const one = document.querySelector('.skip'); one.focus(); return one.getBoundingClientRect().left >= 0")
    #expect(isSeen as? Bool == true)
    var places: [String] = []
    for _ in 0..<40 {
      try browser.press(.tab)
      let place =
        try browser.script(
          """
          const one = document.activeElement;
          if (one === document.body) return 'end';
          const style = getComputedStyle(one);
          const isSeen = (parseFloat(style.outlineWidth) >= 1 && style.outlineStyle !== 'none') || one.matches('.skip');
          return (isSeen ? '' : 'UNSEEN ') + (one.id || one.getAttribute('href') || one.innerText.slice(0, 20) || one.tagName);
          """) as? String ?? ""
      #expect(!place.hasPrefix("UNSEEN"), "the focus is not to be seen on \(place)")
      places.append(place)
      if place == "#new-app" || place == "new-app" { break }
    }
    #expect(places.first == "#/", "first comes the navigation: \(places)")
    #expect(places.last == "new-app", "the page's button is reached: \(places)")
    try browser.press(.enter)
    try browser.waitFor("dialog[open] input[name=appId]")
    let focused = try browser.script("return document.activeElement.name") as? String
    #expect(focused == "appId")
    try browser.press(.escape)
    try browser.wait("no dialog", "return document.querySelector('dialog') === null")
    #expect(try browser.script("return document.activeElement.id") as? String == "new-app")
  }
}
