import Foundation
import TestSupport
import Testing

@testable import upmc_torture

@Suite struct `Hours of torture` {
  private static let judge = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Judge/judge.py").path

  /// A round whose history has these lines, judged.
  private func judged(_ lines: String..., in directory: String) throws -> (JudgedRound, JudgedRound.Verdict, String) {
    let history = "\(directory)/round-1.json"
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: history))
    let round = try JudgedRound(1, history, judge: Self.judge)
    return (round, round.verdict(atMost: .seconds(120)), history)
  }

  @Test func `a history that is judged good is thrown away`() throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let (round, verdict, history) = try judged(
      #"{"e":"history","version":1,"file":1}"#, #"{"e":"run","run":1,"t":1,"what":"nothing"}"#,
      #"{"e":"end","run":1,"t":2}"#, in: directory)
    #expect(verdict == .good)
    var sums = EnduranceSums()
    sums.take(round, verdict, keeping: 5)
    #expect(!FileManager.default.fileExists(atPath: history))
    #expect(sums.findings.isEmpty)
  }

  @Test func `a bad one is a finding and is kept, until there are enough of them`() throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let (round, verdict, history) = try judged(
      #"{"e":"history","version":1,"file":1}"#, #"{"e":"run","run":1,"t":1,"what":"nothing"}"#,
      #"{"e":"ok","run":1,"t":2,"id":9}"#, in: directory)
    guard case .bad(let words) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(words.contains("VIOLATED form"))
    var sums = EnduranceSums()
    sums.take(round, verdict, keeping: 1)
    #expect(FileManager.default.fileExists(atPath: history) && !sums.isClean)
    #expect(sums.text(hours: 1).hasSuffix("VERDICT: 1 findings"))
    sums.take(round, verdict, keeping: 1)
    #expect(!FileManager.default.fileExists(atPath: history))
  }

  @Test func `a round that came to no end is a finding, and no round is no proof`() {
    var sums = EnduranceSums()
    #expect(!sums.isClean)
    sums.note("round 1, seed 4: the devices were not registered in time")
    #expect(sums.rounds == 1 && !sums.isClean)
    #expect(sums.text(hours: 0.5).contains("seed 4: the devices were not registered in time"))
  }
}
