import Foundation
import Postgres
import TestTier
import Testing

/// What operators count and look up: why tokens are refused, what became of an event, how large groups are.
@Suite(.slow, .serialized) struct OperatorPageTests {
  @Test(arguments: ["en", "ko"])
  func `quarantined devices are counted by reason, shown by it, and given back by it`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(6)
    try console.connection.script(
      """
      UPDATE devices SET quarantined_at = now(), quarantine_seqno = 1, quarantine_reason = CASE
        WHEN user_key < 'u0000003' THEN 'DeviceTokenNotForTopic' ELSE 'BadDeviceToken' END
      """)
    let all = Int(try console.world.count("SELECT count(*) FROM devices"))
    let topic = Int(
      try console.world.count("SELECT count(*) FROM devices WHERE quarantine_reason = 'DeviceTokenNotForTopic'"))
    try #require(topic > 0 && topic < all)
    try console.enter(language)
    try browser.show("/aside")
    #expect(try browser.text("[data-reason=DeviceTokenNotForTopic]") == "\(topic)")
    #expect(try browser.text("[data-reason=BadDeviceToken]") == "\(all - topic)")
    for finding in try browser.accessibilityFindings() { Issue.record("reasons: \(finding)") }
    try browser.screenshot("quarantine-\(language)-1280")
    try browser.click("[data-show=DeviceTokenNotForTopic]")
    try browser.wait(
      "only those", "return document.querySelectorAll('main tbody')[1]?.rows.length === arguments[0]", [topic])
    try browser.click("[data-restore=DeviceTokenNotForTopic]")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("they are back", "return document.querySelector('[data-reason=DeviceTokenNotForTopic]') === null")
    let left = try console.world.count("SELECT count(*) FROM devices WHERE quarantined_at IS NOT NULL")
    #expect(Int(left) == all - topic)
    try browser.expectSilence("the quarantine")
  }

  @Test(arguments: ["en", "ko"])
  func `each attempt of an event is seen with its answer and its time, and it is sent again`(language: String) throws {
    let console = try ConsoleWorld(configure: { World.tell(&$0, pauses: [0, 0], networks: ["127.0.0.0/8"]) })
    let browser = console.browser
    let receiver = try EventReceiver()
    receiver.answer(500)
    let (webhook, _) = try console.world.webhook(receiver)
    try console.enter(language)
    try browser.show("/webhooks/\(webhook)")
    try browser.click("#test-webhook")
    try browser.wait(
      "three attempts", "return document.querySelector('[data-attempts=\"3\"]') !== null", [])
    try browser.click("[data-attempts] summary")
    let lines =
      try browser.script(
        "return [...document.querySelectorAll('.attempts li')].map((one) => one.innerText)") as? [String] ?? []
    #expect(lines.count == 3 && lines.allSatisfy { $0.contains("HTTP 500") && $0.contains("ms") }, "\(lines)")
    for finding in try browser.accessibilityFindings() { Issue.record("attempts: \(finding)") }
    try browser.screenshot("webhook-attempts-\(language)-1280")
    receiver.answer(204)
    try browser.click("#replay-dead")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("main tbody [data-state=delivered]")
    try browser.waitFor("[data-attempts='4']")

    // A further event comes into the list, and what somebody has opened stays open.
    try browser.script("document.querySelector('main td.lead details').open = true")
    _ = try console.world.client.call(
      "POST", "/v1/admin/webhooks/\(webhook)/test", bearer: console.world.apiKey)
    try browser.wait("the further event", "return document.querySelectorAll('main tbody tr').length === 2")
    #expect(try browser.count("main tbody tr:nth-child(2) td.lead details[open]") == 1)
    try browser.expectSilence("the attempts")
  }

  @Test func `the file of people is of those that are listed, and offered to those who may have it`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.connection.script(
      """
      INSERT INTO users (app, user_key, name) VALUES (1, 'ukb100', '김하늘'), (1, 'ukb200', '이서연'), (1, 'uother', 'Lee')
      """)
    try console.enter("en")
    try browser.show("/people")
    let prefix = """
      const link = document.querySelector('#export-people');
      return new URL(link.href).searchParams.get('prefix') === arguments[0] && !link.hidden;
      """
    #expect(try browser.script(prefix, [NSNull()]) as? Bool == true)
    try browser.type("#search", "kb")
    try browser.wait("the file of two", prefix, ["kb"])
    // Who is found by a name is in no file.
    try browser.type("#search", "Lee")
    try browser.wait("no file", "return document.querySelector('#export-people').hidden")
    try browser.type("#search", "kb1")
    try browser.wait("the file of one", prefix, ["kb1"])

    try console.connection.script("UPDATE accounts SET role = 'viewer'")
    try browser.open("/")
    try browser.waitFor("main[data-ready='/']")
    try browser.show("/people")
    #expect(try browser.count("main tbody tr") == 3)
    #expect(try browser.count("#export-people") == 0)
    try browser.expectSilence("the file of people")
  }

  @Test func `groups say how many members they have, and conditions suggest the tags that there are`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.startDevices(6, users: 6)
    try console.waitForDevices(6)
    func post(_ path: String, _ body: String) throws -> Reply {
      let reply = try console.world.client.call("POST", path, bearer: console.world.apiKey, body)
      #expect(reply.status < 300, "\(path): \(reply.text)")
      return reply
    }
    let group = try #require(
      try post("/v1/admin/groups", #"{"appId":"\#(World.appID)","name":"News"}"#).string("groupSeq"))
    let seoul = #"{"appId":"\#(World.appID)","name":"Seoul","parent":"\#(group)"}"#
    let below = try #require(try post("/v1/admin/groups", seoul).string("groupSeq"))
    _ = try post("/v1/admin/groups/\(group)/members", #"{"clientUids":["user1","user2","user3"]}"#)
    let busan = #"{"appId":"\#(World.appID)","name":"Busan"}"#
    let other = try #require(try post("/v1/admin/groups", busan).string("groupSeq"))
    _ = try post("/v1/admin/groups/\(other)/members", #"{"clientUids":["user4"]}"#)
    _ = try post("/v1/admin/tags", #"{"appId":"\#(World.appID)","clientUids":["user1"],"add":["vip","gold"]}"#)
    try console.enter("en")
    try browser.show("/groups")
    #expect(try browser.text("[data-members='\(group)']") == "3 members")
    #expect(try browser.text("[data-members='\(other)']") == "1 member")
    try browser.click(".tree button.fold")
    #expect(try browser.text("[data-members='\(below)']") == "0 members")
    for finding in try browser.accessibilityFindings() { Issue.record("the tree: \(finding)") }
    try browser.type("input[name=group-search]", "seo")
    try browser.wait("Seoul", "return document.querySelector('.tree a.name')?.innerText === 'News › Seoul'")
    #expect(try browser.count(".tree a.name") == 1)

    try browser.show("/segments")
    try browser.click("#new-segment")
    try browser.select("dialog[open] .rule select", "tags")
    let suggested = "return [...document.querySelectorAll('datalist option')].map((one) => one.value).join()"
    #expect(try browser.script(suggested) as? String == "gold,vip")
    try browser.type("dialog[open] .rule input", "vip,")
    #expect(try browser.script(suggested) as? String == "vip, gold")
    for finding in try browser.accessibilityFindings() { Issue.record("the tags: \(finding)") }
    try browser.type("dialog[open] .rule input", "vip")
    #expect(try browser.text("#segment-count") == "1")
    try browser.expectSilence("groups and tags")
  }

  @Test func `credentials that could not be asked for are not said to be missing`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    _ = try console.world.finished(try console.world.send(#"{"all":true}"#))
    try console.enter("en")
    let warned = "#attention a[href='#/apps/\(World.appID)']"
    #expect(try browser.count(warned) == 0)
    try browser.script(
      """
      const real = window.fetch;
      window.fetch = (address, options) =>
        String(address).includes('/credentials?') ? Promise.reject(new TypeError('lost')) : real(address, options);
      """)
    try browser.show("/messages")
    try browser.show("/")
    #expect(try browser.count(warned) == 0)
    try browser.expectSilence("the dashboard")
  }

  @Test func `no tile stands alone in the last row, and an import counts people, not its heading`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    _ = try console.world.finished(try console.world.send(#"{"all":true}"#))
    try console.enter("en")
    for width in [390, 800, 1024, 1180, 1280, 1440, 1920] {
      try browser.resize(width: width, height: 900, isPhone: width < 600)
      for page in ["/", "/statistics"] {
        try browser.show(page)
        let alone = try browser.script(
          """
          const tiles = [...document.querySelectorAll('.tiles .tile')].map((one) => one.getBoundingClientRect());
          const last = tiles.filter((one) => one.top === tiles.at(-1).top);
          return tiles.length > 1 && last.length === 1;
          """)
        #expect(alone as? Bool == false, "\(page) at \(width)")
      }
    }
    _ = try console.world.client.call(
      "POST", "/v1/admin/imports", bearer: console.world.apiKey,
      #"{"appId":"\#(World.appID)","kind":"users","skipErrors":true}"#)
    try browser.show("/imports/1")
    try browser.waitFor("main .note")
    let done = try console.world.client.call(
      "PUT", "/v1/admin/imports/1/parts/1?last=true", bearer: console.world.apiKey,
      "clientUid\nlee\npark\nGUEST\n", type: "text/csv")
    #expect(done.int("lines") == 3 && done.int("imported") == 2 && done.int("rejected") == 1, "\(done.text)")
    // Who looks on meanwhile sees that the file is whole.
    try browser.waitFor("main [data-state=finished]")
    #expect(try browser.count("main .note") == 0)
    try browser.expectSilence("the tiles")
  }
}
