import Foundation
import Reactor

/// A round's history being judged while the next round runs.
final class JudgedRound {
  enum Verdict: Equatable {
    case good
    /// The judge gave up searching for an order of a user's counts; nothing else is violated.
    case undecided
    /// The judge's last output.
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

  /// Waits until the judge has exited.
  func verdict(atMost timeout: Duration) -> Verdict {
    let ending = child.wait(atMost: timeout)
    if ending == .exited(0) { return .good }
    if ending == .exited(3) { return .undecided }
    let words = (try? String(contentsOfFile: history + ".verdict", encoding: .utf8)) ?? ""
    return .bad(ending == nil ? "the judge did not end in \(timeout)" : String(words.suffix(600)))
  }

  /// Removes the history and the judge's output.
  func forget() {
    for file in [history, history + ".verdict"] { try? FileManager.default.removeItem(atPath: file) }
  }
}
