import Foundation
import Reactor
import TestSupport
import TestTier
import Testing

/// A short run of the torture runner with a fixed seed: every promise, under `kill -9`, cut connections and a lying
/// network. `make torture` runs it for as long as one likes.
@Suite(.slow, .serialized) struct TortureTests {
  /// The programs lie beside the tests' own.
  private static func program(_ name: String) -> String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name).path
  }

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

  private struct Ended {
    let page: String
    /// The end of what it said meanwhile.
    let progress: String
    let ending: ChildProcess.Ending?
    /// Of somebody else, on what was written down.
    let judged: ChildProcess.Report
  }

  private func run(_ arguments: [String]) throws -> Ended {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    var child = try ChildProcess.start(
      [Self.program("upmc-torture")] + arguments + ["--history", "\(directory)/history"],
      environment: ["PATH=\(path)", "UPMC_MIGRATIONS_DIR=\(TestDatabase.migrationsDirectory)"]
        + Sanitizers.variables,
      output: .file("\(directory)/page"), errors: .file("\(directory)/progress"))
    let ending = child.wait(atMost: .seconds(600 * Sanitizers.slowness))
    return Ended(
      page: TemporaryDirectory.read("\(directory)/page") ?? "",
      progress: String((TemporaryDirectory.read("\(directory)/progress") ?? "").suffix(4000)), ending: ending,
      judged: try Judge.judge("\(directory)/history"))
  }

  private func torture(_ arguments: [String]) throws -> (page: Page, ending: ChildProcess.Ending?) {
    let ended = try run(["--json"] + arguments)
    #expect(ended.judged.succeeded, "\(ended.judged.text)")
    let page = try #require(try? JSONDecoder().decode(Page.self, from: Data(ended.page.utf8)), "\(ended.progress)")
    return (page, ended.ending)
  }

  /// `make crash` takes all boundaries, in every way.
  @Test func `a tenth of a run's boundaries is crashed at, another one each day`() throws {
    let ended = try run(["crash", "--part", "10", "--minutes", "4"])
    #expect(ended.ending == .exited(0), "\(ended.page)\n\(ended.progress)")
    #expect(ended.judged.succeeded, "\(ended.judged.text)")
    let survived = try #require(ended.page.firstMatch(of: /(\d+) of (\d+) boundaries survived/), "\(ended.progress)")
    #expect(survived.1 == survived.2)
    #expect(try #require(Int(survived.1)) >= 20, "\(ended.page)")
  }

  @Test func `two nodes keep every promise while they, their database and the network fail`() throws {
    let (page, ending) = try torture([
      "--minutes", "0.25", "--devices", "400", "--seed", "11", "--life", "12",
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
      "--minutes", "\(minutes)", "--devices", "300", "--seed", "5", "--life", "20", "--only", act,
    ])
    #expect(page.violations.isEmpty, "\(page.violations.map { "\($0.invariant): \($0.evidence)" })")
    #expect(ending == .exited(0))
    #expect(page.accepted > 300 && page.receipts > 300 && page.looks > 50, "\(page)")
    #expect(page.deeds[deed] ?? 0 > 0, "\(page.deeds)")
    // It was watched while it lasted, and nothing else was done.
    #expect(page.deeds["waits looked through"] ?? 0 > 0, "\(page.deeds)")
  }
}
