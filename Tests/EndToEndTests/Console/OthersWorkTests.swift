import Foundation
import Postgres
import TestSupport
import TestTier
import Testing

/// A page that has been open for a while writes what was changed on it, and leaves what others have changed meanwhile.
@Suite(.slow, .serialized) struct OthersWorkTests {
  private func call(
    _ console: ConsoleWorld, _ method: String, _ path: String, _ body: String? = nil
  ) throws -> Reply {
    let reply = try console.world.client.call(method, "/v1/admin/\(path)", bearer: console.world.apiKey, body)
    #expect(reply.status < 300, "\(method) \(path): \(reply.text)")
    return reply
  }

  @Test func `a test group that somebody else has made stays when another one is deleted`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    let path = "apps/\(World.appID)/test-groups"
    _ = try call(console, "PUT", path, #"{"groups":[{"name":"QA","clientUids":["kim"]}]}"#)
    try console.enter("en")
    try browser.show("/test-groups")
    _ = try call(
      console, "PUT", path,
      #"{"groups":[{"name":"QA","clientUids":["kim"]},{"name":"Late","clientUids":["lee"]}]}"#)
    try browser.click("main tbody button.bad")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("the other one", "return document.querySelector('main tbody')?.innerText.includes('Late')")
    #expect(try browser.count("main tbody tr") == 1)
    let groups = try call(console, "GET", path)["groups"] as? [[String: Any]] ?? []
    #expect(groups.map { $0["name"] as? String } == ["Late"])
    try browser.expectSilence("the test groups")
  }

  @Test func `a tag that a program has given stays when others are changed`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.register("one", token: World.token("a1"), user: "kim")
    func give(_ tags: String) throws {
      _ = try call(console, "POST", "tags", #"{"appId":"\#(World.appID)","clientUids":["kim"],"add":[\#(tags)]}"#)
    }
    try give(#""vip","trial""#)
    try console.enter("en")
    try browser.show("/people/\(World.appID)/kim")
    try give(#""gold""#)
    try browser.click("button[aria-label='Change tags']")
    try browser.type("dialog[open] textarea[name=tags]", "vip, new")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("the tags", "return document.querySelector('main').innerText.includes('gold')")
    let tags = try call(console, "GET", "tags?appId=\(World.appID)&clientUid=kim")["tags"] as? [String] ?? []
    #expect(tags.sorted() == ["gold", "new", "vip"])
    try browser.expectSilence("the tags")
  }

  @Test func `a setting of an app that somebody else has changed stays when another one is saved`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    try browser.show("/apps/\(World.appID)")
    _ = try call(console, "PATCH", "apps/\(World.appID)", #"{"approvalAbove":5}"#)
    try browser.type("main input[name=name]", "First Bank")
    try browser.notice(".toast:not(.bad)") {
      try browser.click("main form:has(input[name=timeZone]) [type=submit]")
    }
    let app = try call(console, "GET", "apps/\(World.appID)")
    #expect(app.string("name") == "First Bank" && app.int("approvalAbove") == 5, "\(app.text)")
    // A limit that is taken away on the page itself goes.
    try browser.show("/")
    try browser.show("/apps/\(World.appID)")
    #expect(try browser.value("main input[name=approvalAbove]") == "5")
    try browser.script(
      "const one = document.querySelector('main input[name=approvalAbove]'); one.value = '';")
    try browser.click("main form:has(input[name=timeZone]) [type=submit]")
    _ = try poll("the limit is still there") {
      try call(console, "GET", "apps/\(World.appID)")["approvalAbove"] is Int ? nil : true
    }
    try browser.expectSilence("the settings")
  }

  @Test func `an approval that is open shows what somebody else has decided`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.connection.script(
      """
      INSERT INTO approvals (app, request, request_sha256, targeted, unknown_entries, account, requested_by, requested_at,
        ends_at)
      SELECT app, '{"appId":"\(World.appID)","audience":{"all":true},"alert":"x"}', '', 3, '[]', 0, 'lee@example.com', now(),
        now() + interval '1 day' FROM apps
      """)
    try console.enter("en")
    try browser.show("/approvals/1")
    try browser.waitFor("#approve")
    try browser.script("document.querySelector('#approve').focus()")
    _ = try call(console, "POST", "approvals/1/reject", #"{"reason":"too early"}"#)
    try browser.wait(
      "the decision",
      """
      return document.querySelector('#approve') === null && document.querySelector('.facts')?.innerText.includes('too early')
      """)
    #expect(try browser.script("return document.activeElement.tagName") as? String == "H1")
    try browser.expectSilence("the approval")
  }

  @Test func `a webhook's page counts what is given up while it is open`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    _ = try call(
      console, "POST", "webhooks",
      #"{"appId":"\#(World.appID)","url":"https://hooks.example.com/upmc","kinds":["message.finished"]}"#)
    for _ in 1...2 { _ = try call(console, "POST", "webhooks/1/test", "{}") }
    _ = try poll("the events are not there") {
      try console.world.count("SELECT count(*) FROM event_deliveries") == 2 ? true : nil
    }
    func giveUp(_ count: Int) throws {
      try console.connection.script(
        """
        UPDATE event_deliveries SET state = 2, ended_at = now(), attempts = 11, reason = 'HTTP 500', fence = fence + 1
        WHERE event IN (SELECT event FROM event_deliveries ORDER BY event LIMIT \(count))
        """)
    }
    try giveUp(1)
    try console.enter("en")
    try browser.show("/webhooks/1")
    #expect(try browser.text("main .note.bad").hasPrefix("1 event "))
    try giveUp(2)
    try browser.wait("both", "return document.querySelector('main .note.bad').innerText.startsWith('2 events ')")
    try browser.expectSilence("the webhook")
  }

  @Test func `a group that is gone is called so in the segments that name it`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.connection.script("INSERT INTO groups (app, name) VALUES (1, 'News')")
    _ = try call(
      console, "POST", "segments",
      #"{"appId":"\#(World.appID)","name":"Others","conditions":{"not":{"groups":["1"]}}}"#)
    try console.enter("en")
    try browser.show("/segments")
    #expect(try browser.text("main tbody").contains("News"))
    _ = try call(console, "DELETE", "groups/1")
    try browser.show("/")
    try browser.show("/segments")
    try browser.wait(
      "the deleted group",
      "return document.querySelector('main tbody').innerText.includes('Deleted group (GROUPSEQ 1)')")
    // The browser reports the answer that there is no such group.
    try browser.expectSilence("the segments", except: "404")
  }

  @Test func `groups that cannot be listed are not said to be none`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.connection.script("INSERT INTO groups (app, name) VALUES (1, 'News')")
    try console.enter("en")
    try browser.script(
      """
      window.real = window.fetch;
      window.fetch = (address, options) =>
        String(address).includes('/groups?') ? Promise.reject(new TypeError('lost')) : window.real(address, options);
      """)
    try browser.show("/compose")
    try browser.waitFor("main .empty[role=alert] button")
    try browser.script("window.fetch = window.real")
    try browser.click("main .empty[role=alert] button")
    try browser.pick("groups")
    try browser.wait("the group", "return document.querySelector('main .group-boxes').innerText.includes('News')")
    try browser.expectSilence("the groups")
  }

  @Test func `a change that may need approval says before what becomes of the message that is scheduled`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(12)
    let tomorrow = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 86_400))
    let seqno = try console.world.send(#"{"members":true}"#, #","sendAt":"\#(tomorrow)""#)
    _ = try call(console, "PATCH", "apps/\(World.appID)", #"{"approvalAbove":5}"#)
    try console.enter("en")
    try browser.show("/compose?change=\(seqno)")
    try browser.waitFor("#audience-count")
    try browser.click("#send")
    #expect(try browser.text("dialog[open] .note.warn").contains("message \(seqno) is cancelled at once"))
    try browser.press(.escape)
    try browser.expectSilence("the question")
  }
}
