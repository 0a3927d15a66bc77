import Foundation
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
}
