import Foundation
import Postgres
import TestTier
import Testing

/// The page of a message as its record, and as the place from where it is led.
@Suite(.slow, .serialized) struct MessageRecordTests {
  @Test(arguments: ["en", "ko"])
  func `the page says who sent it to whom, what is unusual, and why it waits`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(40)
    let day = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 40 * 86_400)).prefix(10)
    let seqno = try console.world.send(
      #"{"members":true}"#,
      #"""
      ,"kind":"essential","expiresIn":"PT6H","badge":{"increment":2},"pace":{"devices":1,"wait":"P1D"},\#
      "localTime":"\#(day)T09:00","repeat":{"every":"week","until":"2099-06-30"}
      """#)
    try console.enter(language)
    try browser.show("/messages/\(seqno)")
    let record = try browser.text("#record")
    let words =
      language == "ko"
      ? ["회원", "필수", "6시간", "2 증가", "매주", "2099-06-30", "단말별"]
      : ["Members", "Essential", "6 hours", "add 2", "Every week", "2099-06-30", "each device's clock"]
    for word in words { #expect(record.contains(word), "\(word): \(record)") }
    try browser.waitFor("#why [data-wait=time]")
    try browser.waitFor(".phone .push")
    try browser.click("[data-action=cancel]")
    // What ends with it, and two buttons that nobody can mistake.
    try browser.waitFor("dialog[open] .note.warn")
    let buttons = try browser.script(
      "return [...document.querySelectorAll('dialog[open] .foot button')].map((one) => one.innerText)")
    #expect(Set(try #require(buttons as? [String])).count == 2)
    for finding in try browser.accessibilityFindings() { Issue.record("cancelling: \(finding)") }
    try browser.press(.escape)
    try browser.screenshot("record-\(language)-1280")
    try console.expect(language)
    try browser.expectSilence("the record")
  }

  @Test func `cancelling an occurrence that is being sent says that later ones still come`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    let seqno = try console.world.send(
      #"{"members":true}"#,
      #"""
      ,"sendAt":"\#(console.world.now)","repeat":{"every":"day","until":"2099-01-01"},\#
      "pace":{"devices":1,"wait":"P1D"}
      """#)
    try console.enter("en")
    try browser.show("/messages/\(seqno)")
    try browser.waitFor("#message-state [data-state=sending]")
    try browser.click("[data-action=cancel]")
    #expect(try browser.text("dialog[open] .note.warn").contains("Only this occurrence"))
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("#message-state [data-state=cancelled]")
    #expect(try console.world.count("SELECT count(*) FROM messages WHERE occurrence = 1 AND state = 0") == 1)
    try browser.expectSilence("the cancelled one")
  }

  @Test func `one that is sent again does not say that it has the canary and the short messages of the first`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    let first = try console.world.send(
      #"{"members":true}"#, #","sms":true,"fallback":{"after":"PT1H"},"canary":{"devices":1,"wait":"PT1S"}"#)
    #expect(try console.world.finished(first).int("accepted") == 3)
    let again = try console.world.control("resend", first, #"{"to":"not-received"}"#)
    let second = try #require(again.string("seqno"), "\(again.text)")
    #expect(try console.world.finished(second).int("accepted") == 3)
    try console.enter("en")
    for (seqno, isFirst) in [(first, true), (second, false)] {
      try browser.show("/messages/\(seqno)")
      let record = try browser.text("#record")
      for label in ["Canary", "SMS fallback"] { #expect(record.contains(label) == isFirst, "\(label): \(record)") }
      let tabs = try browser.text("nav.tabs")
      #expect(tabs.contains("SMS fallbacks") == isFirst, "\(tabs)")
    }
    try browser.expectSilence("the second record")
  }

  @Test func `the pace dialog opens with the present pace, and saving it changes nothing`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(40)
    let seqno = try console.world.send(#"{"all":true}"#, #","pace":{"devices":1,"wait":"PT30M"}"#)
    _ = try console.world.control("pause", seqno)
    try console.enter("en")
    try browser.show("/messages/\(seqno)")
    try browser.click("[data-action=pace]")
    try browser.waitFor("dialog[open] input[value=portions]:checked")
    #expect(try browser.value("dialog[open] input[name=devices]") == "1")
    #expect(try browser.value("dialog[open] input[name=minutes]") == "30")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("no dialog", "return document.querySelector('dialog') === null")
    let pace = try console.connection.run(
      Statement("test-pace", "SELECT pace_devices, pace_wait FROM gates WHERE seqno = \(seqno)", isKept: false))
    #expect(pace.int32(0, 0) == 1 && pace.int32(0, 1) == 1_800)
    try browser.expectSilence("the pace")
  }

  @Test(arguments: ["en", "ko"])
  func `a paused app is named on its messages and where new ones are written`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(40)
    let seqno = try console.world.send(#"{"all":true}"#, #","pace":{"devices":1,"wait":"P1D"}"#)
    try console.connection.script(
      """
      UPDATE apps SET paused_reason = '40 of the last 40 answers of APNS production refused the device token \
      (BadDeviceToken 40). That is a fault of a setting.'
      """)
    try console.enter(language)
    try browser.show("/messages/\(seqno)")
    try browser.waitFor("#why [data-wait=app-paused]")
    try browser.show("/compose")
    try browser.waitFor("#standing .note.bad a[href='#/apps/\(World.appID)']")
    try browser.show("/apps/\(World.appID)")
    #expect(try browser.text("main .note.bad").contains("of the last") == (language == "en"))
    try browser.expectSilence("the paused app")
  }

  @Test func `a later occurrence that awaits approval shows its own due time`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    let now = Date()
    let (day, later) = (Self.day(now, 40), Self.day(now, 54))
    _ = try console.world.send(
      #"{"members":true}"#, #","localTime":"\#(day)T09:00","repeat":{"every":"week","until":"2099-06-30"}"#)
    try console.connection.script(
      """
      UPDATE messages SET occurrence = 2;
      INSERT INTO approvals (app, because, held, request, request_sha256, targeted, unknown_entries, account, requested_by,
        requested_at, ends_at, seqno)
      SELECT app, 3, true, request, '', 3, '[]', 0, 'lee@example.com', now(), now() + interval '1 day', seqno FROM messages
      """)
    try console.enter("en")
    try browser.show("/approvals/1")
    let facts = try browser.text(".facts")
    #expect(facts.contains("\(later) 09:00") && !facts.contains("\(day) 09:00"), "\(facts)")
    // Nothing is sent when it is approved.
    #expect(try browser.text("#approve") == "Approve and schedule")
    try browser.expectSilence("the later one")
  }

  private static func day(_ now: Date, _ days: Double) -> String {
    String(ISO8601DateFormatter().string(from: now + days * 86_400).prefix(10))
  }

  @Test func `a message whose time has just passed is sent at once, and the question says so`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(3)
    try console.enter("en")
    try browser.show("/compose")
    try browser.pick("members")
    try browser.pick("at")
    for (minutes, words) in [(-10, "Send to 3 devices now?"), (60, "Schedule for about 3 devices?")] {
      try browser.script(
        """
        const field = document.querySelector('input[name=sendAt]');
        const time = new Date(Date.now() + arguments[0] * 60_000);
        field.value = new Date(time - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
        field.dispatchEvent(new Event('input', { bubbles: true }));
        """, [minutes])
      try browser.type("textarea[name=body]", "News")
      #expect(try browser.text("#audience-count") == "3")
      try browser.click("#send")
      #expect(try browser.text("dialog[open] h2") == words)
      try browser.press(.escape)
      try browser.wait("no dialog", "return document.querySelector('dialog') === null")
    }
    try browser.expectSilence("the question")
  }

  @Test func `a user who may send but not decide sees the request that was made`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(12)
    _ = try console.world.client.call(
      "PATCH", "/v1/admin/apps/\(World.appID)", bearer: console.world.apiKey, #"{"approvalAbove":5}"#)
    try console.invite("kim@example.com", "Kim Jiwon")
    try console.connection.script("UPDATE accounts SET role = 'sender'")
    try console.enter("en")
    try browser.show("/compose")
    try browser.pick("members")
    try browser.type("textarea[name=body]", "For many")
    #expect(try browser.text("#audience-count") == "12")
    try browser.click("#send")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("main[data-ready^='/approvals/']")
    #expect(try browser.text(".facts").contains("Members"))
    #expect(try browser.text("#approval-notes").contains("Another person"))
    #expect(try browser.count("#approve") == 0 && browser.count("#reject") == 0)
    try browser.show("/approvals")
    #expect(try browser.text("main tbody").contains("For many"))
    try browser.expectSilence("the request")
  }

  @Test func `who approved it stands in the record`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(12)
    _ = try console.world.client.call(
      "PATCH", "/v1/admin/apps/\(World.appID)", bearer: console.world.apiKey, #"{"approvalAbove":5}"#)
    try console.invite("lee@example.com", "이서연")
    try console.enter("en")
    try browser.show("/compose")
    try browser.pick("members")
    try browser.type("textarea[name=body]", "For many")
    #expect(try browser.text("#audience-count") == "12")
    try browser.click("#send")
    // It is not sent now, and the question does not say so.
    #expect(try browser.text("dialog[open] h2").contains("approval"))
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("main[data-ready^='/approvals/']")
    let page = try browser.script("return location.hash.slice(1)") as? String ?? ""
    try console.signOut()
    try console.enter("en", login: "lee@example.com", name: "이서연")
    try browser.show(page)
    #expect(try browser.text(".facts").contains("Members"))
    try browser.click("#approve")
    try browser.type("dialog[open] input[name=typed]", "12")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("main[data-ready^='/messages/']")
    let record = try browser.text("#record")
    #expect(record.contains("kim@example.com") && record.contains("lee@example.com"), "\(record)")
    try browser.expectSilence("the approval")
  }
}
