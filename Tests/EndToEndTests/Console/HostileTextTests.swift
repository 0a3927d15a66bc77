import Foundation
import Operations
import Postgres
import TestTier
import Testing

/// Names, titles and cells that would like to be markup: a real browser shows every page with them.
@Suite(.slow, .serialized) struct HostileTextTests {
  static let evil = #"<img src=x onerror="window.caught=1"><script>window.caught=2</script>'"`${window.caught=3}"#

  @Test func `text that would like to be markup stays text on every page`() throws {
    let console = try ConsoleWorld()
    let (browser, world) = (console.browser, console.world)
    let evil = Self.evil
    let user = "<svg onload=window.caught=4>"
    let token = World.token("a1")
    try world.register("d<b>1</b>", token: token, user: user)
    try console.connection.script(
      "UPDATE devices SET model = '<img src=x onerror=window.caught=5>', app_version = '<script>1</script>'")
    func json(_ value: [String: Any]) throws -> String {
      String(decoding: try JSONSerialization.data(withJSONObject: value), as: UTF8.self)
    }
    func make(_ method: String, _ path: String, _ value: [String: Any]) throws -> Reply {
      let reply = try world.client.call(method, path, bearer: world.apiKey, try json(value))
      #expect(reply.status < 300, "\(path): \(reply.text)")
      return reply
    }
    _ = try make("PATCH", "/v1/admin/apps/\(World.appID)", ["name": evil])
    let group = try #require(
      try make("POST", "/v1/admin/groups", ["appId": World.appID, "name": evil]).string("groupSeq"))
    _ = try make("POST", "/v1/admin/groups/\(group)/members", ["clientUids": [user]])
    _ = try make(
      "POST", "/v1/admin/segments", ["appId": World.appID, "name": evil, "conditions": ["platform": ["<b>x</b>"]]])
    _ = try make("POST", "/v1/admin/api-keys", ["role": "viewer", "name": evil])
    _ = try make("POST", "/v1/admin/accounts", ["login": "<b>lee</b>", "name": evil, "role": "viewer"])
    let seqno = try #require(
      try make(
        "POST", "/v1/admin/messages",
        [
          "appId": World.appID, "audience": ["clientUids": [user, "<i>nobody</i>"]],
          "alert": ["title": evil, "body": evil],
        ]
      ).string("seqno"))
    _ = try world.finished(seqno)
    try console.enter("en", name: evil)
    let encoded = try #require(user.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    let device = try console.connection.run(Statement("test-device", "SELECT device::text FROM devices")).text(0, 0)
    for page in [
      "/", "/messages", "/messages/\(seqno)", "/messages/\(seqno)?tab=people", "/messages/\(seqno)?tab=failures",
      "/messages/\(seqno)/people/\(encoded)", "/people", "/people/\(World.appID)/\(encoded)", "/devices",
      "/devices/\(device)", "/groups", "/groups/\(group)", "/segments", "/aside", "/apps", "/apps/\(World.appID)",
      "/keys", "/accounts", "/audit", "/statistics", "/compose?group=\(group)",
    ] {
      try browser.show(page)
      let caught = try browser.script(
        "return window.caught ?? document.querySelectorAll('main img[src=x], main script').length")
      #expect((caught as? NSNumber)?.intValue == 0, "\(page): \(caught ?? "")")
      try browser.expectSilence(page)
    }
    try browser.show("/messages/\(seqno)")
    #expect(try browser.text("main h1").hasPrefix("<img src=x onerror="))

    // The same in what is typed and chosen here.
    try browser.show("/compose")
    try browser.type("input[name=title]", evil)
    try browser.type("textarea[name=body]", evil)
    try browser.pick("csv")
    let path = console.file(
      "evil.csv", "CUID,NAME,\"VAR1\"\n\"\(user)\",\(user),=cmd()\n\"<img src=x onerror=alert(1)>\",x,1,2,3\n")
    try browser.choose("input[type=file][name=csv]", file: path)
    try browser.waitFor("#csv-faults[data-faults='1']")
    #expect(try browser.text("#audience-count") == "1")
    try browser.click("#send")
    try browser.waitFor("dialog[open] blockquote")
    #expect(try browser.text("dialog[open] blockquote").hasPrefix("<img src=x onerror="))
    #expect(try browser.script("return window.caught ?? 0") as? Int == 0)
    try browser.expectSilence("compose")
  }

  @Test func `the policy lets nothing run that is not ours, and says so on every file`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    for path in ["/", "/assets/main.js", "/assets/vendor/chart.js/chart.mjs", "/assets/words/ko.json"] {
      let policy = try browser.script(
        """
        return fetch(arguments[0])
          .then((answer) => answer.status + ' ' + answer.headers.get('content-security-policy'));
        """, [path])
      let text = policy as? String ?? ""
      #expect(text.hasPrefix("200 default-src 'none'; script-src 'self'"), "\(path): \(text)")
      #expect(!text.contains("unsafe"), "\(path): \(text)")
    }
    try browser.expectSilence("the console")
    // What an injected text would try.
    try browser.script(
      """
      const script = document.createElement('script');
      try { script.textContent = 'window.caught = 1'; document.body.append(script); } catch {}
      try { document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.caught=2">'); } catch {}
      try { document.body.setAttribute('onclick', 'window.caught=3'); document.body.click(); } catch {}
      """)
    #expect(try browser.script("return window.caught ?? 0") as? Int == 0)
  }
}
