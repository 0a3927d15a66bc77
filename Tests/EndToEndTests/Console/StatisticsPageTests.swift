import Foundation
import Postgres
import TestTier
import Testing

/// The page of statistics keeps its dates in the address, on the app's clock, and compares them with the right ones.
@Suite(.slow, .serialized) struct StatisticsPageTests {
  @Test func `dates in the address are days of the app's clock`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    try browser.show("/statistics?from=2026-03-01&to=2026-03-31&compare=month")
    func read(_ script: String) throws -> String { try #require(browser.script(script) as? String) }
    #expect(try read("return document.querySelector('[name=range]').value") == "dates")
    #expect(try read("return document.querySelector('[name=from]').value") == "2026-03-01")
    #expect(try read("return document.querySelector('[name=to]').value") == "2026-03-31")
    #expect(try read("return document.querySelector('[name=by]').value") == "day")
    let file = try read("return document.querySelector('.head a[download]').getAttribute('href')")
    #expect(file.contains("from=2026-02-28T15%3A00%3A00.000Z&to=2026-03-31T15%3A00%3A00.000Z&by=day"), "\(file)")
    let asked = try read(
      "return performance.getEntriesByType('resource').map((one) => decodeURIComponent(one.name)).join(' ')")
    // All of February.
    #expect(asked.contains("from=2026-01-31T15:00:00.000Z&to=2026-02-28T15:00:00.000Z&by=day"), "\(asked)")
    try browser.expectSilence("statistics")
  }

  @Test func `where the database does not know the app's zone dates are those by which it counts`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.connection.script("UPDATE apps SET time_zone = 'Mars/Base'")
    try browser.live(in: "America/Los_Angeles")
    try console.enter("en")
    try browser.show("/statistics?from=2026-03-01&to=2026-03-31")
    let file = try #require(
      browser.script("return document.querySelector('.head a[download]').getAttribute('href')") as? String)
    #expect(file.contains("from=2026-03-01T00%3A00%3A00.000Z&to=2026-04-01T00%3A00%3A00.000Z&by=day"), "\(file)")
    #expect(try browser.script("return document.querySelector('[name=to]').value") as? String == "2026-03-31")
    #expect(try browser.text("main .period") == "Days are those of UTC.")
    try browser.expectSilence("statistics")
  }

  @Test func `hostile dates show the usual period`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.enter("en")
    for query in [
      "from=2026-02-30&to=2026-03-01", "from=2026-03-02&to=2026-03-01", "from=%3Cb%3E&to=x", "by=year&range=age",
    ] {
      try browser.show("/statistics?\(query)")
      #expect(try browser.script("return document.querySelector('[name=range]').value") as? String == "day", "\(query)")
    }
    try browser.expectSilence("statistics")
  }

  @Test func `the messages behind a number are those of its time, in any zone of the browser`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    try console.connection.script(
      """
      INSERT INTO messages (seqno, app, state, lane, purpose, request, request_sha256, targeted, created_at, expires_at,
        frozen_at, planned, finished_at)
      SELECT n, 1, 4, 1, 0, json_build_object('alert', 'No ' || n), '', 1, day + at, now(), day + at, true, day + till
      FROM (SELECT timestamptz '2026-03-02 00:00 Asia/Seoul' AS day) t, (VALUES
        (1, interval '-2 hours', interval '-1 hour'), (2, interval '-1 hour', interval '1 hour'),
        (3, interval '23 hours', interval '25 hours'), (4, interval '24 hours', interval '25 hours')) m (n, at, till)
      """)
    // The second of March is another time here than for the app.
    try browser.live(in: "America/Los_Angeles")
    try console.enter("en")
    try browser.show("/statistics?from=2026-03-02&to=2026-03-02")
    try browser.click("main .tiles a[href^='#/messages']")
    try browser.waitFor("main[data-ready='/messages'] #during")
    let rows = "return [...document.querySelectorAll('main tbody a.title')].map((one) => one.innerText).join()"
    // Both that were being sent on that day, whenever they were asked for.
    #expect(try browser.script(rows) as? String == "No 3,No 2")
    #expect(try browser.text("#during").contains("Asia/Seoul"))
    // The list's own dates are the app's too, by when it was asked for.
    try browser.show("/messages?from=2026-03-02&to=2026-03-02")
    #expect(try browser.script(rows) as? String == "No 3")
    for finding in try browser.accessibilityFindings() { Issue.record("\(finding)") }
    try browser.expectSilence("the list")
  }

  @Test func `the best hour is said with how much it is taken from`() throws {
    let console = try ConsoleWorld()
    let browser = console.browser
    func insert(_ time: String, reads: Int) throws {
      // As the rolling up leaves it.
      for (table, at) in [("hours", time), ("days", "date_trunc('day', \(time))")] {
        try console.connection.script(
          """
          INSERT INTO statistics_\(table) (app, at, network, lane, app_version, reason, accepted, rejected, expired,
            cancelled, skipped, received, read, joined, "left")
          SELECT 1, (date_trunc('week', now() AT TIME ZONE 'Asia/Seoul') - interval '7 days' + \(at)) AT TIME ZONE 'Asia/Seoul',
            1, 1, '', '', 0, 0, 0, 0, 0, \(reads), \(reads), 0, 0
          """)
      }
    }
    try insert("interval '9 hours'", reads: 60)
    try console.enter("en")
    try browser.show("/statistics?range=month")
    #expect(try browser.text("#best-hour").contains("60 reads are too few"))
    try insert("interval '1 day 9 hours'", reads: 140)
    try browser.show("/statistics?range=month")
    let said = try browser.text("#best-hour")
    #expect(
      said.contains("Tuesday from 09:00 to 10:00") && said.contains("140 of 200") && said.contains("70%"), "\(said)")
    try browser.show("/compose")
    #expect(try browser.text("#best-hour") == said)
    // The time to send is entered by the browser's clock.
    #expect(try browser.text("#best-hour-clock").contains("Asia/Seoul"))
    try expectShares(browser)
    try browser.expectSilence("the best hour")
  }

  /// Only all is a hundred percent, and only none is nothing.
  private func expectShares(_ browser: Browser) throws {
    let shares = try browser.script(
      """
      const words = await import(document.querySelector('script[type=module]').src.replace('main.js', 'words.js'));
      return arguments[0].map(([part, whole]) => words.percent(part, whole));
      """,
      [
        [
          [0, 5], [1, 3000], [4, 1000], [1, 20], [1, 2], [19, 20], [249, 250], [2999, 3000], [5, 5], [3, 2], [0, 0],
        ]
      ])
    #expect(
      shares as? [String] == ["0%", "<0.1%", "0.4%", "5%", "50%", "95%", "99.6%", ">99.9%", "100%", "150%", "–"])
  }
}
