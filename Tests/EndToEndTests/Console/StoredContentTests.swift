import Foundation
import Postgres
import TestTier
import TestSupport
import Testing

/// What is stored beside messages: uploads with their end, and groups of people who get tests.
@Suite(.slow, .serialized) struct StoredContentTests {
  @Test(arguments: ["en", "ko"])
  func `uploads and audience files are listed with size and end, and deleted`(language: String) throws {
    let console = try ConsoleWorld(publicURL: "http://push.example.com")
    let browser = console.browser
    try console.world.populate(2)
    try console.enter(language)
    try browser.show("/media")
    #expect(try browser.text("[data-room=media]").contains("20 GiB"))
    try browser.choose("input[name=file]", file: console.picture())
    try browser.click("main form [type=submit]")
    try browser.wait("the picture", "return document.querySelector('main tbody img')?.naturalWidth > 0")
    #expect(try browser.text("main tbody").contains("image/png"))
    try browser.screenshot("uploads-\(language)-1280")
    for finding in try browser.accessibilityFindings() { Issue.record("uploads: \(finding)") }
    try browser.click("main tbody button.bad")
    try browser.waitFor("dialog[open]")
    for finding in try browser.accessibilityFindings() { Issue.record("the question: \(finding)") }
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("no file", "return document.querySelector('main tbody img') === null")
    #expect(try console.world.count("SELECT count(*) FROM hosted_files") == 0)

    // A file of a message that is not over stays; another one goes.
    for (users, sends) in [("user0,A\n", true), ("user1,B\nuser0,A\n", false)] {
      let stored = try console.world.client.call(
        "POST", "/v1/admin/audiences/csv?appId=\(World.appID)", bearer: console.world.apiKey, users, type: "text/csv")
      guard sends else { continue }
      let csv = try #require(stored.string("csvId"))
      _ = try console.world.send("{\"csv\":\"\(csv)\"}", #","sendAt":"\#(Self.tomorrow)""#)
    }
    try browser.show("/media?tab=audiences")
    #expect(try browser.count("main tbody tr") == 2)
    for finding in try browser.accessibilityFindings() { Issue.record("audience files: \(finding)") }
    try browser.screenshot("audience-files-\(language)-1280")
    try browser.click("main tbody tr:first-child button.bad")
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("one file", "return document.querySelectorAll('main tbody tr').length === 1")
    try browser.click("main tbody button.bad")
    try browser.notice(".toast.bad") { try browser.click("dialog[open] [type=submit]") }
    #expect(try console.world.count("SELECT count(*) FROM csv_audiences") == 1)
    try browser.expectSilence("uploads", except: "409")
  }

  @Test func `pages show how much storage uploads use, and warn before the limit`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.connection.script(
      """
      INSERT INTO hosted_files (name, app, suffix, type, bytes, part_bytes, sha256, created_at, expires_at)
      VALUES ('large', 1, '.wav', 'audio/wav', 20401094656, 262144, '', now(), now() + interval '1 day')
      """)
    try console.enter("en")
    try browser.show("/media")
    #expect(try browser.text("[data-room=media] .note.warn").contains("19 GiB of 20 GiB"))
    try browser.show("/imports")
    try browser.click("input[name=skipErrors]")
    #expect(try browser.text("[data-room=imports]").contains("0 of 2,048"))
    try browser.show("/compose")
    try browser.pick("csv")
    #expect(try browser.text("[data-room=audiences]").contains("0 GiB of 32 GiB"))
    try browser.expectSilence("the room")
  }

  private static var tomorrow: String { ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 86_400)) }

  @Test(arguments: ["en", "ko"])
  func `a test group gets the test, which counts in no statistics`(language: String) throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.startDevices(6, users: 3)
    try console.waitForDevices(6)
    try console.enter(language)
    try browser.show("/test-groups")
    for finding in try browser.accessibilityFindings() { Issue.record("no test groups: \(finding)") }
    try browser.click("#new-test-group")
    try browser.type("dialog[open] input[name=name]", "QA")
    try browser.type("dialog[open] textarea[name=clientUids]", "GUEST")
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("dialog[open] textarea[name=clientUids][aria-invalid=true]")
    try browser.type("dialog[open] textarea[name=clientUids]", "user0, user1")
    for finding in try browser.accessibilityFindings() { Issue.record("a test group: \(finding)") }
    try browser.click("dialog[open] [type=submit]")
    try browser.wait("the group", "return document.querySelectorAll('main tbody tr').length === 1")
    try browser.screenshot("test-groups-\(language)-1280")

    try browser.show("/compose")
    try browser.pick("all")
    try browser.type("textarea[name=body]", "Before everyone")
    try browser.type("input[name=me]", "user1")
    try browser.click("#test-groups input[value=QA]")
    for finding in try browser.accessibilityFindings() { Issue.record("the test: \(finding)") }
    try browser.notice(".toast:not(.bad)") { try browser.click("#test-send") }
    // Two people with two devices each, once.
    let test = "1"
    _ = try console.world.finished(test)
    try #require(try console.world.funnel(test).int("targeted") == 4)
    _ = try poll("it was not read") { try console.world.funnel(test).int("read") == 4 ? true : nil }
    #expect(try console.world.count("SELECT purpose FROM messages") == 2)
    #expect(try sum(console) == [0, 0, 0])
    // It is remembered, and a send counts as ever.
    try browser.script("location.hash = '#/'")
    try browser.click("dialog[open] [data-choice=discard]")
    try browser.waitFor("main[data-ready='/']")
    try browser.show("/compose")
    #expect(try browser.script("return document.querySelector('#test-groups input').checked") as? Bool == true)
    let seqno = try console.world.send(#"{"all":true}"#)
    _ = try console.world.finished(seqno)
    _ = try poll("it was not read") { try console.world.funnel(seqno).int("read") == 6 ? true : nil }
    #expect(try sum(console) == [6, 6, 6])
    try browser.expectSilence("the test group", except: "422")
  }

  /// Accepted, received and read, as the statistics say.
  private func sum(_ console: ConsoleWorld) throws -> [Int] {
    let report = try console.world.client.call(
      "GET", "/v1/admin/statistics?by=minute&appId=\(World.appID)", bearer: console.world.apiKey)
    let total = try #require(report["total"] as? [String: Any])
    return ["accepted", "received", "read"].map { total[$0] as? Int ?? -1 }
  }
}
