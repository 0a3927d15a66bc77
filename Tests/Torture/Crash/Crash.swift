import ArgumentParser
import Foundation
import Reactor
import Time

/// Crashes at every boundary of a reference run, each in turn.
///
/// ```
///   reference run ──► upmc serve 1 (boundaries counted; at the Nth: killed, cut, PostgreSQL killed) ──► PostgreSQL
///                └──► upmc serve 2                                                                   └─► simulator
///   whatever died is restarted ──► the run continues as a careful client would ──► at rest: every promise is checked
/// ```
///
/// **What is proved.** For each boundary reached: everything acknowledged exists, nothing is duplicated without being
/// counted, all numbers add up, nothing is stranded. Boundary numbers are not reproducible: two nodes and their threads
/// interleave freely, so a number stands for a moment of the run, not for a statement.
struct Crash: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Crashes a push center at each boundary of a reference run, and checks what it promised.",
    discussion: """
        make crash
        upmc-torture crash --part 10 --of 3
        upmc-torture crash --at 417 --way 1
      """)

  @Option(help: "One part of so many: every boundary whose number divided by it leaves the same rest.")
  var part: Int64 = 1

  @Option(help: "Which part, from 0; by default another one each day.")
  var of: Int64?

  @Option(help: "Only this boundary.")
  var at: Int64?

  @Option(help: "Only this way, 0…5; else all six, or for a part of the boundaries one each, another one each day.")
  var way: Int64?

  @Option(help: "End after so many minutes, and say how far it came.")
  var minutes: Double?

  @Option(help: "Go on after those minutes until it has crashed at so many boundaries.")
  var least: Int?

  @Option(help: "Write a history of all runs to this file, for `Tests/Judge`.")
  var history: String?

  @Option(help: "A file of the history is put aside when it has so many megabytes; the newest eight of those are kept.")
  var historyMegabytes = 256

  @Flag(help: "Keep the directory with logs and database of a run that broke a promise.")
  var keep = false

  func validate() throws {
    guard (1...100_000).contains(historyMegabytes) else { throw ValidationError("--history-megabytes is 1…100000") }
    guard part >= 1 else { throw ValidationError("--part is at least 1") }
    if let of, !(0..<part).contains(of) { throw ValidationError("--of is 0…\(part - 1)") }
    guard least ?? 1 > 0 else { throw ValidationError("--least is more than 0") }
    if let way, BoundaryPage.Way(rawValue: way) == nil { throw ValidationError("--way is 0…5") }
  }

  func run() throws {
    Signals.block()
    let began = SystemClock().now
    let written = try history.map { try History(path: $0, megabytes: historyMegabytes) }
    let crashes = try CrashRun(keeps: keep, history: written)
    defer { crashes.close() }
    let boundaries = try crashes.measure()
    Console.say("\(boundaries) boundaries")
    for (kind, count) in zip(BoundaryPage.kinds, crashes.counts) { Console.say("  \(count) \(kind)") }
    let points = points(boundaries)
    var (survived, missed, broken): (Int, Int, [String]) = (0, 0, [])
    var done = 0
    for point in points {
      let isOver = minutes.map { (SystemClock().now - began).nanoseconds > Int64($0 * 60e9) } ?? false
      if isOver, survived + broken.count >= least ?? 0 { break }
      if Signals.wait(atMost: .zero) == .stop { break }
      done += 1
      switch try crashes.survive(point) {
      case .survived: survived += 1
      case .notReached: missed += 1
      case .broken(let words):
        broken.append("boundary \(point.number), \(point.way.name): \(words)")
        Console.say("BROKEN \(broken[broken.count - 1])")
      }
      if done % 50 == 0 { Console.say("\(done) of \(points.count), \(broken.count) broken") }
    }
    try written?.close()
    let seconds = (SystemClock().now - began).components.seconds
    for words in broken { print("BROKEN \(words)") }
    print("not reached in their run: \(missed); \(seconds) s; \(points.count - done) of \(points.count) were left out")
    print("\(survived) of \(survived + broken.count) boundaries survived")
    if !broken.isEmpty || survived == 0 { throw ExitCode.failure }
  }

  private func points(_ boundaries: Int64) -> [CrashRun.Point] {
    let day = SystemClock().wallTime.microseconds / 86_400_000_000
    let ways = way.flatMap { BoundaryPage.Way(rawValue: $0).map { [$0] } } ?? BoundaryPage.Way.allCases
    if let at { return ways.map { CrashRun.Point(number: at, way: $0) } }
    let rest = of ?? day % part
    let numbers = (1...max(1, boundaries)).filter { $0 % part == rest }
    guard part > 1, way == nil else {
      return numbers.flatMap { number in ways.map { CrashRun.Point(number: number, way: $0) } }
    }
    return numbers.map { number in
      CrashRun.Point(number: number, way: ways[Int((number / part + day) % Int64(ways.count))])
    }
  }
}
