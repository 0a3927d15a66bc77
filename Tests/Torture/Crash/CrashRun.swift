import Foundation
import Reactor
import Simulator
import Time

/// Consecutive reference runs, each with one action at one boundary, and the check after each.
final class CrashRun {
  struct Point: Hashable {
    let number: Int64
    let way: BoundaryPage.Way
  }

  private var stage: CrashStage
  private let keeps: Bool
  private let history: History?
  /// Runs on this stage.
  private var runs = 0
  /// Runs on all stages; the number of the current run.
  private var total = 0
  private let clock = SystemClock()
  /// Boundaries of an undisturbed run, by kind.
  private(set) var counts: [Int64] = []

  init(keeps: Bool, history: History? = nil) throws {
    self.keeps = keeps
    self.history = history
    stage = try CrashStage(history)
  }

  func close() { stage.close(keeps: keeps) }

  /// The number of boundaries of an undisturbed run: the maximum of three.
  func measure() throws -> Int64 {
    for _ in 0..<3 {
      guard try carryOut(nil) != .notReached else { continue }
      if stage.page.counts.reduce(0, +) > counts.reduce(0, +) { counts = stage.page.counts }
    }
    return counts.reduce(0, +)
  }

  enum Outcome: Equatable {
    case survived(at: String)
    /// The run had fewer boundaries this time.
    case notReached
    case broken(String)
  }

  /// Performs one run. A stage on which a promise was broken is not reused.
  func survive(_ point: Point) throws -> Outcome {
    if runs >= Limits.runsOfStage {
      stage.close(keeps: false)
      stage = try CrashStage(history)
      runs = 0
    }
    do {
      return try carryOut(point)
    } catch let broken as Broken {
      return .broken(try replaceStage(broken.description))
    } catch let trouble as Trouble {
      return .broken(try replaceStage(trouble.description))
    }
  }

  private func replaceStage(_ words: String) throws -> String {
    let lines = stage.nodes.map(\.lastLogLines).joined(separator: "\n")
    stage.close(keeps: keeps)
    stage = try CrashStage(history)
    runs = 0
    return words + "\n" + lines
  }

  private func carryOut(_ point: Point?) throws -> Outcome {
    runs += 1
    total += 1
    let (stage, number) = (stage, total)
    let caller = try Caller(ports: stage.nodes.map(\.port), history: history, run: number) { try stage.tend() }
    let run = ReferenceRun(
      number: number, apiKey: stage.apiKey, caller: caller, simulator: stage.simulator,
      providerKey: stage.started.providerKey, hook: stage.hook.port, stage: stage)
    let what = point.map { "boundary \($0.number), \($0.way.name)" } ?? "nothing is done"
    history?.note("run", run: number, #""what":"\#(what)","events":true"#)
    // In every case: received pushes are evidence.
    defer { if let history { run.noteDeliveries(in: history) } }
    let clientKey = try run.prepare()
    stage.page.arm(point?.number, point?.way ?? .killBefore, victim: try stage.victim())
    if let point {
      history?.note("deed", run: number, #""kind":"\#(point.way.name)","until":\#(clock.wallTime.microseconds)"#)
    }
    let expected = try run.carryOut(clientKey: clientKey)
    try CrashVerifier(stage: stage, run: run, expected: expected).check()
    stage.page.rest()
    history?.note("end", run: number)
    guard point != nil else { return .survived(at: "") }
    return stage.page.fired.map { .survived(at: $0) } ?? .notReached
  }

  private enum Limits {
    /// After this many runs the stage gets a new database, so that all runs work on a small one.
    static let runsOfStage = 100
  }
}
