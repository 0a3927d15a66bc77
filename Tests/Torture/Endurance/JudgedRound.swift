import Foundation
import Reactor

/// A round's history in the hands of the judge, who reads while the next round runs.
final class JudgedRound {
  enum Verdict: Equatable {
    case good
    /// The search for an order of somebody's counts was given up; nothing is violated otherwise.
    case undecided
    /// What it said last.
    case bad(String)
  }

  let number: Int
  private let history: String
  private var child: ChildProcess

  init(_ number: Int, _ history: String, judge: String) throws {
    (self.number, self.history) = (number, history)
    child = try ChildProcess.start(
      ["nice", "-n", "10", "python3", judge, history], output: .file(history + ".verdict"),
      errors: .file(history + ".verdict"))
  }

  /// Waits until the judge has ended.
  func verdict(atMost timeout: Duration) -> Verdict {
    let ending = child.wait(atMost: timeout)
    if ending == .exited(0) { return .good }
    if ending == .exited(3) { return .undecided }
    let words = (try? String(contentsOfFile: history + ".verdict", encoding: .utf8)) ?? ""
    return .bad(ending == nil ? "the judge did not end in \(timeout)" : String(words.suffix(600)))
  }

  /// Removes the history, and what the judge said.
  func forget() {
    for file in [history, history + ".verdict"] { try? FileManager.default.removeItem(atPath: file) }
  }
}
