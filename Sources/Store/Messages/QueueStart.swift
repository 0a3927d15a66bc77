package import Domain
package import Reactor

/// The number at which a scan of a queue can start, for queues whose entries have ascending numbers.
///
/// While another session has an old snapshot (a backup, a forgotten session), PostgreSQL cannot remove dead rows, and a
/// scan from the beginning reads everything that was finished meanwhile. So a scan starts at the lowest waiting number
/// that a scan at least a minute ago found: every transaction that was in progress at that time has ended by now.
/// An entry that returns to the queue below that number, such as a reopened message, is found by occasional scans from
/// the beginning. These run once a minute, or less often if they are slow, so that they use at most a three-hundredth
/// of the time.
package struct QueueStart<Number: RowNumber> {
  private var found: [(at: Instant, lowest: Number)] = []
  private var fromTheBeginningAt = Instant(nanoseconds: .min)

  /// Minimum age of a scan whose result is used: longer than any of our transactions needs from assigning a number to
  /// its commit.
  private static var margin: Duration { .seconds(60) }
  /// Minimum time between scans from the beginning, however quick they are.
  private static var interval: Duration { .seconds(60) }
  /// Minimum time between scans from the beginning, as a multiple of the duration of the last one.
  private static var rest: Int { 300 }

  package init() {}

  /// Returns the number at which the next scan can start: the lowest that the recorded scans have found. Returns 0, for
  /// a scan from the beginning, if such a scan is due, or until a recorded scan is a minute old.
  package func begin(at now: Instant) -> Number {
    guard now < fromTheBeginningAt, let first = found.first, now - first.at >= Self.margin else { return .zero }
    return found.map(\.lowest).min() ?? .zero
  }

  /// Records the result of a scan.
  /// - Parameters:
  ///   - start: the number at which the scan started; 0 for the beginning.
  ///   - lowest: the lowest number that waits; if none does, the last number assigned before the scan.
  ///   - began: when the scan began, before the last assigned number was read.
  ///   - ended: when the scan ended.
  package mutating func looked(from start: Number, found lowest: Number, began: Instant, ended: Instant) {
    // Keep one scan that is older than the margin, and drop those before it.
    while found.count > 1, began - found[1].at >= Self.margin { found.removeFirst() }
    found.append((began, lowest))
    if start == .zero { fromTheBeginningAt = ended + max(Self.interval, (ended - began) * Self.rest) }
  }
}
