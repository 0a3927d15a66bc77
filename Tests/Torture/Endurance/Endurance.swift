import ArgumentParser
import Foundation
import Reactor

/// Runs the torture for hours or days, in rounds: each has its own center, seed and history, and `Tests/Judge` judges
/// the last round's history while the next round runs. A history judged good is deleted at once, so the disk holds at
/// most two rounds, plus the bad ones.
struct Endurance: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "endure",
    abstract: "Tortures for hours in rounds, each of which is judged by Tests/Judge while the next one runs.",
    discussion: """
        make torture ARGS="endure --hours 24"
        upmc-torture endure --hours 2 --round 5 --results /tmp/endurance
      """)

  /// Numbers of this program: unit, reason.
  private enum Limits {
    /// A judge reads a round in seconds to minutes; this stops one that hangs.
    static let judge = Duration.seconds(1800)
    /// Bad rounds whose histories are kept; further ones teach nothing new.
    static let kept = 5
    /// Gives up after this many unfinished rounds.
    static let broken = 5
    /// Megabytes of history per file: more than a round has.
    static let historyMegabytes = 4096
  }

  @Option(help: "Hours that it lasts; the round that has begun is brought to its end.")
  var hours = 24.0

  @Option(help: "Minutes of violence in a round; the account comes after.")
  var round = 10.0

  @Option(help: "The seed of the first round; each has the next.")
  var seed: UInt64 = 1

  @Option(help: "Virtual devices.")
  var devices = 1000

  @Option(help: "Where pages and histories of bad rounds go; by default a new directory in /tmp.")
  var results: String?

  @Option(help: "Where database and logs lie (/tmp). A file system given here, of 4 GiB at most, is filled too.")
  var directory: String?

  @Option(help: "The judge.")
  var judge = "Tests/Judge/judge.py"

  @Flag(help: "In each round one snapshot is held from the beginning to the end of the violence.")
  var snapshot = false

  func validate() throws {
    guard hours > 0, hours <= 1000 else { throw ValidationError("--hours is more than 0, and 1000 at most") }
    guard round >= 0.2, round <= 240 else { throw ValidationError("--round is 0.2…240 minutes") }
    guard devices >= 200 else { throw ValidationError("--devices is at least 200") }
    guard FileManager.default.fileExists(atPath: judge) else {
      throw ValidationError("--judge \(judge) is not there: start it where the repository is, or name the judge")
    }
    if let directory, Disk(directory) == nil { throw ValidationError("--directory \(directory) is not there") }
  }

  func run() throws {
    Signals.block()
    let results = try results ?? Stage.makeDirectory(under: "/tmp")
    try FileManager.default.createDirectory(atPath: results, withIntermediateDirectories: true)
    let clock = SystemClock()
    let began = clock.now
    var sums = EnduranceSums()
    var judged: JudgedRound?
    while (clock.now - began).nanoseconds < Int64(hours * 3600e9), !sums.wasInterrupted {
      let number = sums.rounds + 1
      let history = "\(results)/round-\(number).json"
      let page = try self.page(number, history, &sums)
      if let judged { sums.take(judged, judged.verdict(atMost: Limits.judge), keeping: Limits.kept) }
      judged = page == nil ? nil : try JudgedRound(number, history, judge: judge)
      sums.tell(hours: Double((clock.now - began).nanoseconds) / 3600e9)
    }
    if let judged { sums.take(judged, judged.verdict(atMost: Limits.judge), keeping: Limits.kept) }
    print(sums.text(hours: Double((clock.now - began).nanoseconds) / 3600e9))
    if sums.isClean {
      try? FileManager.default.removeItem(atPath: results)
    } else {
      print("What was bad is in \(results)")
      throw ExitCode.failure
    }
  }

  /// Runs one round. Nil if it could not be completed.
  private func page(_ number: Int, _ history: String, _ sums: inout EnduranceSums) throws -> Page? {
    var plan = Plan(
      violence: .milliseconds(Int64(round * 60_000)), seed: seed &+ UInt64(number - 1), devices: devices, nodes: 2,
      only: [], life: 60, isCalm: false, keeps: false, directory: directory)
    (plan.history, plan.historyMegabytes) = (history, Limits.historyMegabytes)
    plan.holdsSnapshot = snapshot
    do {
      let run = try Run(plan)
      defer { run.close() }
      let page = try run.page()
      sums.take(page, wasInterrupted: run.wasInterrupted)
      if !page.isClean { try Data(page.text.utf8).write(to: URL(filePath: "\(history).page")) }
      return page
    } catch {
      // Includes failures of the runner itself: one round must not waste hours, and the failure is reported as a
      // finding.
      sums.note("round \(number), seed \(plan.seed): \(error)")
      guard sums.broken < Limits.broken else { throw error }
      return nil
    }
  }
}
