import Foundation
import Postgres
import TestTier
import Testing

/// A message keeps all that it holds, whatever page it goes through.
@Suite(.slow, .serialized) struct MessageModelTests {
  /// Something of everything that a template may hold.
  private static let message = """
    {"alert":{"title":"Payday","subtitle":"S","body":"Hi %VAR1%"},"translations":{"ko":{"title":"월급","body":"입금 %VAR1%"}},\
    "variables":{"VAR1":"1,000"},"badge":{"set":3},"sound":null,"ext":"6|x","data":{"deeplink":"app://x"},"category":"PAY",\
    "threadId":"pay","interruptionLevel":"passive","lane":"bulk","expiresIn":"PT30M","sms":true,\
    "fallback":{"after":"PT5M"},"sender":"MKT","pace":{"perSecond":100},"window":{"from":"00:00","to":"23:59"}}
    """

  private func json(_ text: String) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
  }

  /// What the last message asked for, without whom it is for.
  private func lastRequest(_ console: ConsoleWorld) throws -> NSDictionary {
    let text = try console.connection.run(
      Statement(
        "test-last-request",
        "SELECT (request::jsonb - 'appId' - 'audience')::text FROM messages ORDER BY seqno DESC LIMIT 1")
    ).text(0, 0)
    return try json(text)
  }

  @Test func `a template is sent whole`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    let made = try console.world.client.call(
      "POST", "/v1/admin/templates", bearer: console.world.apiKey,
      #"{"appId":"\#(World.appID)","name":"Payday","message":\#(Self.message)}"#)
    #expect(made.status == 201, "\(made.text)")
    try console.enter("en")
    try browser.show("/templates")
    try browser.click("main tbody a.button")
    try browser.waitFor("main[data-ready='/compose']")
    try browser.pick("all")
    #expect(try browser.text("#audience-count") == "3")
    // The confirmation says what is unusual about it.
    try browser.click("#send")
    let words = try browser.text("dialog[open] .summary")
    for word in ["MKT", "PAY", "100", "Korean", "1,000", "app://x"] { #expect(words.contains(word), "\(words)") }
    for finding in try browser.accessibilityFindings() { Issue.record("the confirmation: \(finding)") }
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("main[data-ready^='/messages/']")
    #expect(try lastRequest(console) == json(Self.message))

    // The template itself is changed in one place, and keeps the rest.
    try browser.show("/templates")
    try browser.click("main tbody button.button:not(.bad)")
    try browser.type("dialog[open] input[name=title]", "Bonus")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("no dialog", "return document.querySelector('dialog') === null")
    let kept = try console.connection.run(
      Statement("test-template", "SELECT message::text FROM saved_messages", isKept: false)
    ).text(0, 0)
    #expect(try json(kept) == json(Self.message.replacing("Payday", with: "Bonus")))
    try browser.expectSilence("the template")
  }

  @Test func `a message is copied, and one that is scheduled is changed in place`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    let tomorrow = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 86_400))
    let more = Self.message.dropFirst().drop { $0 != "}" }.dropFirst()
    let seqno = try console.world.send(
      #"{"members":true}"#,
      more.dropLast() + #","sendAt":"\#(tomorrow)","repeat":{"every":"week","until":"2099-01-01"}"#)
    try console.enter("en")
    try browser.show("/messages/\(seqno)")
    try browser.click("[data-action=edit]")
    try browser.waitFor("main[data-ready='/compose']")
    try browser.type("input[name=title]", "Changed")
    #expect(try browser.text("#audience-count") == "3")
    try browser.click("#send")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitForState("scheduled")
    let next = try console.seqno()
    #expect(next != seqno)
    let request = try lastRequest(console)
    #expect((request["alert"] as? NSDictionary)?["title"] as? String == "Changed")
    for member in ["sendAt", "repeat", "category", "window", "data"] { #expect(request[member] != nil, "\(member)") }
    #expect(try console.world.finished(seqno).string("state") == "cancelled")
    let series = try console.connection.run(
      Statement("test-series", "SELECT count(*) FILTER (WHERE ended_at IS NULL), count(*) FROM schedules"))
    #expect(series.int64(0, 0) == 1 && series.int64(0, 1) == 2)

    // A copy begins now, once.
    try browser.click("[data-action=copy]")
    try browser.waitFor("main[data-ready='/compose']")
    #expect(try browser.value("input[name=title]") == "Changed")
    #expect(try browser.script("return document.querySelector('input[value=members]').checked") as? Bool == true)
    #expect(try browser.script("return document.querySelector('input[value=now]').checked") as? Bool == true)
    try browser.expectSilence("the change")
  }

  @Test func `a later occurrence is changed at its own time, not at that of the first`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    let first = try console.world.send(
      #"{"members":true}"#,
      #","sendAt":"\#(console.world.now)","repeat":{"every":"day","until":"2099-01-01"}"#)
    #expect(try console.world.finished(first).int("accepted") == 3)
    let next = try console.connection.run(
      Statement("test-next", "SELECT seqno::text FROM messages WHERE occurrence = 1")
    ).text(0, 0)
    try console.enter("en")
    try browser.show("/messages/\(next)")
    try browser.click("[data-action=edit]")
    try browser.waitFor("main[data-ready='/compose']")
    try browser.type("textarea[name=body]", "Corrected")
    #expect(try browser.text("#audience-count") == "3")
    try browser.click("#send")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("main[data-ready^='/messages/']")
    #expect(try console.world.finished(next).string("state") == "cancelled")
    // Nobody gets it a second time today.
    let tomorrows = try console.world.count(
      "SELECT count(*) FROM messages WHERE occurrence = 0 AND state = 0 AND due_at > now() + interval '22 hours'")
    #expect(tomorrows == 1)
    #expect(try console.world.count("SELECT count(*) FROM messages") == 3)
    try expectWallTimes(browser)
    try browser.expectSilence("the occurrence")
  }

  /// Those of later occurrences by local time are what PostgreSQL makes them.
  private func expectWallTimes(_ browser: Browser) throws {
    let found = try browser.script(
      """
      const { occurrenceOf } = await import(
        document.querySelector('script[type=module]').src.replace('main.js', 'parts/message-model.js'));
      const due = '2026-12-24T00:00:00.000Z';
      return arguments[0].map(([localTime, every, count]) => (
        occurrenceOf({ message: { localTime }, repeat: { every, occurrence: Number(count) } }, due).localTime));
      """,
      [
        [
          ["2026-12-24T09:00", "day", "0"], ["2026-12-24T09:00", "day", "8"], ["2026-12-24T09:00", "week", "1"],
          ["2028-01-31T23:30", "month", "1"], ["2028-01-31T23:30", "month", "2"],
          ["2026-12-31T00:00:30", "month", "14"],
        ]
      ])
    #expect(
      found as? [String] == [
        "2026-12-24T09:00", "2027-01-01T09:00", "2026-12-31T09:00", "2028-02-29T23:30", "2028-03-31T23:30",
        "2028-02-29T00:00:30",
      ])
  }

  /// Members without a field, and why.
  private static let without = [
    "template": "it is filled in when the page opens", "dryRun": "the page asks by itself",
    "test": "the button for tests sets it", "reference": "a program's own name for its message",
    "mdm": "for device management, which is no marketing",
  ]

  @Test func `every member of a send has a field, and what a hand writes in the JSON goes out`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    _ = try console.world.client.call(
      "POST", "/v1/admin/apps", bearer: console.world.apiKey, #"{"appId":"com.example.card","name":"Card"}"#)
    let document = try json(try console.world.client.call("GET", "/openapi.json").text)
    let components = try #require(document["components"] as? NSDictionary)
    let send = try #require((components["schemas"] as? NSDictionary)?["Send"] as? NSDictionary)
    let members = try #require((send["properties"] as? NSDictionary)?.allKeys as? [String])
    #expect(members.count > 40)
    try console.enter("en")
    try browser.show("/compose?app=\(World.appID)")
    #expect(Self.without.count <= 5)
    for member in members where Self.without[member] == nil {
      #expect(try browser.count("[data-member~='\(member)']") > 0, "\(member) has no field")
    }
    for member in Self.without.keys {
      #expect(members.contains(member), "\(member) is no member any more")
    }
    try browser.pick("all")
    try browser.click("details[data-section=json] > summary")
    try browser.script(
      """
      const area = document.querySelector('textarea[name=json]');
      area.value = JSON.stringify({ alert: { body: 'By hand' }, reference: { key: 'autumn' }, collapseId: 'x' });
      area.dispatchEvent(new Event('input', { bubbles: true }));
      area.dispatchEvent(new Event('change', { bubbles: true }));
      """)
    #expect(try browser.value("textarea[name=body]") == "By hand")
    #expect(try browser.text("#audience-count") == "3")
    try console.send()
    let request = try lastRequest(console)
    #expect((request["reference"] as? NSDictionary)?["key"] as? String == "autumn")
    #expect(request["collapseId"] as? String == "x")
    try browser.expectSilence("the members")
  }

  @Test func `languages, variables and a canary are written in the form`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    try console.enter("ko")
    try browser.show("/compose")
    try browser.pick("all")
    try browser.type("textarea[name=body]", "Hello %VAR1%")
    try browser.script("for (const one of document.querySelectorAll('details.section')) one.open = true")
    try browser.type("input[name=language]", "ko")
    try browser.click("#add-language")
    try browser.type("textarea[name='translations.ko.body']", "안녕하세요 %VAR1%")
    try browser.type("input[name='variables.VAR1']", "3%")
    try browser.select("select[name=badge]", "increment")
    try browser.select("select[name=sound]", "silent")
    try browser.select("select[name=canary]", "percent")
    try browser.type("input[name=canarySize]", "10")
    try browser.script("document.querySelector('input[name=sms]').click()")
    try browser.select("select[name='fallback.after']", "PT10M")
    #expect(try browser.text("#audience-count") == "3")
    let shown = try browser.script("return document.querySelector('.screen .b').innerText") as? String
    #expect(shown == "Hello 3%")
    try browser.screenshot("compose-open-ko-1280")
    for finding in try browser.accessibilityFindings() { Issue.record("compose, all open: \(finding)") }
    try console.send()
    let expected = try json(
      """
      {"alert":{"body":"Hello %VAR1%"},"translations":{"ko":{"body":"안녕하세요 %VAR1%"}},"variables":{"VAR1":"3%"},\
      "badge":{"increment":1},"sound":null,"canary":{"percent":10,"wait":"PT5M","maxRejectedPercent":10},"sms":true,\
      "fallback":{"after":"PT10M"}}
      """)
    #expect(try lastRequest(console) == expected)
    try browser.expectSilence("the form")
  }

  @Test func `a Live Activity is started, updated and ended by fields`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(2)
    try console.enter("en")
    try browser.show("/compose?app=\(World.appID)")
    try browser.pick("all")
    try browser.click("details[data-section=activity] > summary")
    func name(_ member: String) -> String { "[name='liveActivity.\(member)']" }
    let written = "return document.querySelector('[name=json]').value"
    func activity() throws -> NSDictionary {
      let text = try #require(browser.script(written) as? String)
      let message = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
      return try #require(message?["liveActivity"] as? NSDictionary)
    }
    try browser.select(name("event"), "start")
    // What a start needs is asked for by name.
    try browser.type("textarea[name=body]", "On its way")
    let missing = try browser.text("#missing")
    for word in ["Content state", "Attributes type", "Attributes (JSON)"] {
      #expect(missing.contains(word), "\(missing)")
    }
    try browser.type(name("contentState"), #"{"minutes":12}"#)
    try browser.type(name("attributesType"), "Order")
    try browser.type(name("attributes"), #"{"number":7}"#)
    try browser.click(name("inputPushToken"))
    #expect(try activity()["event"] as? String == "start")
    #expect(try activity()["inputPushToken"] as? Bool == true)
    // An activity has updates by a token of its own or by a channel.
    try browser.click(name("inputPushToken"))
    try browser.type(name("inputPushChannel"), "dHN0LXNyY2gtY2hubA==")
    #expect(try activity()["inputPushToken"] == nil)
    #expect(try activity()["inputPushChannel"] as? String == "dHN0LXNyY2gtY2hubA==")
    try browser.wait("the answer of the server", "return document.querySelector('#audience-count') !== null")
    try browser.select(name("event"), "end")
    try browser.type(name("activityId"), "order-7")
    let end = try activity()
    #expect(
      end["attributes"] == nil && end["inputPushChannel"] == nil && end["activityId"] as? String == "order-7", "\(end)")
    #expect((end["contentState"] as? NSDictionary)?["minutes"] as? Int == 12)
    for finding in try browser.accessibilityFindings() { Issue.record("\(finding)") }
    try console.send()
    let sent = try lastRequest(console)["liveActivity"] as? NSDictionary
    #expect(sent?["event"] as? String == "end" && sent?["activityId"] as? String == "order-7", "\(sent ?? [:])")
    try browser.expectSilence("the Live Activity")
  }
}
