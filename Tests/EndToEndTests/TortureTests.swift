import Foundation
import Reactor
import TestSupport
import TestTier
import Testing

/// A short run of the torture runner with a fixed seed: every promise, under `kill -9`, cut connections and a lying
/// network. `make torture` runs it for as long as one likes.
@Suite(.slow, .serialized) struct TortureTests {
  private struct Page: Decodable {
    struct Violation: Decodable {
      let invariant: String
      let evidence: String
    }
    let violations: [Violation]
    let accepted: Int
    let duplicates: Int
    let resent: Int
    let receipts: Int
    let looks: Int
    let deeds: [String: Int]
  }

  private func torture(_ arguments: [String]) throws -> (page: Page, ending: ChildProcess.Ending?) {
    let ended = try TortureRun(["--json"] + arguments)
    #expect(ended.judged.succeeded, "\(ended.judged.text)")
    let page = try #require(try? JSONDecoder().decode(Page.self, from: Data(ended.page.utf8)), "\(ended.progress)")
    return (page, ended.ending)
  }

  @Test func `two nodes keep every promise while they, their database and the network fail`() throws {
    let (page, ending) = try torture([
      "--minutes", "0.25", "--devices", "400", "--seed", "11", "--life", "12", "--least", "600",
    ])
    #expect(page.violations.isEmpty, "\(page.violations.map { "\($0.invariant): \($0.evidence)" })")
    #expect(ending == .exited(0))
    #expect(page.duplicates <= page.resent)
    // It would find nothing if nothing had happened.
    #expect(page.accepted > 400 && page.receipts > 400 && page.looks > 50, "\(page)")
    #expect(page.deeds.keys.contains { $0.hasPrefix("kill -9") }, "\(page.deeds)")
  }

  @Test(arguments: [
    ("wrong-clock", "wrong clocks", 0.35), ("backup", "backups", 0.4), ("lock-table", "locked tables", 0.6),
    ("slow-database", "slow databases", 0.4), ("vanish-host", "vanished machines", 0.65),
  ])
  func `two nodes keep every promise while something makes them wait, or their clocks are wrong`(
    act: String, deed: String, minutes: Double
  ) throws {
    let (page, ending) = try torture([
      "--minutes", "\(minutes)", "--devices", "300", "--seed", "5", "--life", "20", "--only", act, "--least", "500",
    ])
    #expect(page.violations.isEmpty, "\(page.violations.map { "\($0.invariant): \($0.evidence)" })")
    #expect(ending == .exited(0))
    #expect(page.accepted > 300 && page.receipts > 300 && page.looks > 50, "\(page)")
    #expect(page.deeds[deed] ?? 0 > 0, "\(page.deeds)")
    // It was watched while it lasted, and nothing else was done.
    #expect(page.deeds["waits looked through"] ?? 0 > 0, "\(page.deeds)")
  }
}
