import Reactor
import Synchronization
import Time

/// The violations found so far, with evidence; any thread may add one.
final class Verdict: Sendable {
  struct Violation: Codable, Sendable {
    /// The invariant, or the part of the run.
    let invariant: String
    let evidence: String
    /// Seconds since the violence began.
    let at: Double
    /// The latest acts on the center.
    let after: [String]
  }

  private struct State {
    var violations: [Violation] = []
    var counts: [String: Int] = [:]
    var deeds: [(at: Double, what: String)] = []
    var looks = 0
  }

  private let state = Mutex(State())
  private let clock = SystemClock()
  private let beginning: Instant

  init() {
    beginning = clock.now
  }

  /// Converts a time since 1970 to seconds of this run.
  func seconds(ofMicroseconds time: Int64) -> Double {
    let ago = Double(clock.wallTime.microseconds - time) / 1e6
    return ((seconds - ago) * 1000).rounded() / 1000
  }

  var seconds: Double { Double((clock.now - beginning).nanoseconds) / 1e9 }

  /// Records an act on the center as evidence for later violations.
  func note(_ deed: String) {
    let at = seconds
    state.withLock { state in
      state.deeds.append((at, deed))
      if state.deeds.count > 2000 { state.deeds.removeFirst(1000) }
    }
  }

  func violate(_ invariant: String, _ evidence: String) {
    let at = seconds
    let isTold = state.withLock { state in
      state.counts[invariant, default: 0] += 1
      guard state.violations.count < Torture.Limits.tellings else { return false }
      let after = state.deeds.suffix(4).map { "\(($0.at * 10).rounded() / 10) s: \($0.what)" }
      state.violations.append(Violation(invariant: invariant, evidence: evidence, at: at, after: after))
      return true
    }
    if isTold { Console.say("VIOLATION of \(invariant): \(evidence)") }
  }

  /// Counts one check of a message's numbers.
  func look() { state.withLock { $0.looks += 1 } }
  var looks: Int { state.withLock { $0.looks } }

  /// All acts on the center, one per line.
  var deedLines: String {
    state.withLock { state in state.deeds.map { "\($0.at) \($0.what)\n" }.joined() }
  }
  var violations: [Violation] { state.withLock { $0.violations } }
  var counts: [String: Int] { state.withLock { $0.counts } }
  var lastDeed: String { state.withLock { $0.deeds.last?.what ?? "" } }
}
