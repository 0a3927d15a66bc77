import Foundation
import Postgres
import TestTier
import Testing

/// Campaigns among a bank's single sends.
@Suite(.slow, .serialized) struct CampaignListTests {
  /// A campaign that is scheduled and one that is paused, and behind them more single sends than a list looks through.
  private func bury(_ console: ConsoleWorld) throws -> (scheduled: String, paused: String) {
    let tomorrow = ISO8601DateFormatter().string(from: Date(timeIntervalSinceNow: 86_400))
    let scheduled = try console.world.send(#"{"all":true}"#, #","sendAt":"\#(tomorrow)","sender":"MKT""#)
    let paused = try console.world.send(#"{"all":true}"#, #","pace":{"devices":1,"wait":"P1D"}"#)
    _ = try console.world.control("pause", paused)
    try console.connection.script(
      """
      INSERT INTO messages (app, state, lane, purpose, request, request_sha256, targeted, created_at, expires_at,
        frozen_at, planned, finished_at)
      SELECT 1, 4, 0, 1, '{"alert":"Code"}', '', 1, now(), now() + interval '1 day', now(), true, now()
      FROM generate_series(1, 21000) n
      """)
    return (scheduled, paused)
  }

  @Test func `what is scheduled or paused is in sight after twenty thousand single sends`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.world.populate(20)
    let (scheduled, paused) = try bury(console)
    try console.enter("en")
    try browser.show("/")
    try browser.waitFor("#running a[href='#/messages/\(scheduled)']")
    try browser.waitFor("#running a[href='#/messages/\(paused)']")
    try browser.screenshot("dashboard-buried")

    try browser.show("/messages")
    #expect(try browser.count("main tbody tr") == 2)
    try browser.select("select[name=state]", "paused")
    try browser.wait("the paused one alone", "return document.querySelectorAll('main tbody tr').length === 1")
    try browser.waitFor("main tbody a[href='#/messages/\(paused)']")
    // The filter was not drawn anew under the hand that chose.
    #expect(try browser.script("return location.hash") as? String == "#/messages?state=paused")

    try browser.show("/messages?purpose=single")
    #expect(try browser.count("main tbody tr") == 50)
    try browser.show("/messages?purpose=all&state=open")
    #expect(try browser.count("main tbody tr") == 2)
    try browser.expectSilence("the lists")
  }

  @Test func `campaigns are found by their text and their sender, and tests stand apart`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.startDevices(2, users: 1)
    try console.waitForDevices(2)
    let (scheduled, _) = try bury(console)
    let found = try console.world.client.call(
      "POST", "/v1/admin/messages", bearer: console.world.apiKey,
      #"{"appId":"\#(World.appID)","audience":{"all":true},"alert":{"title":"가을 100% 할인","body":"B"},"lane":"bulk"}"#)
    let autumn = try #require(found.string("seqno"))
    try console.enter("ko")
    try browser.show("/messages")
    try browser.type("#search", "100%")
    try browser.wait("one", "return document.querySelectorAll('main tbody tr').length === 1")
    try browser.waitFor("main tbody a[href='#/messages/\(autumn)']")
    try browser.show("/messages?sender=MKT")
    #expect(try browser.count("main tbody a[href='#/messages/\(scheduled)']") == 1)
    #expect(try browser.count("main tbody tr") == 1)

    try browser.show("/compose")
    try browser.pick("all")
    try browser.type("textarea[name=body]", "시험")
    try browser.type("input[name=me]", "user0")
    try browser.notice(".toast:not(.bad)") { try browser.click("#test-send") }
    try browser.click("a[data-path='/messages']")
    try browser.click("dialog[open] [data-choice=discard]")
    try browser.waitFor("main[data-ready='/messages']")
    #expect(try browser.count("main tbody tr") == 3)
    try browser.show("/messages?purpose=test")
    #expect(try browser.count("main tbody tr") == 1)
    try browser.expectSilence("the search")
  }
}
