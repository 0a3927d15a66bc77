package import Domain
package import Reactor

/// Computes where scans of a queue may start, for queues whose entries have ascending numbers.
///
/// While another session holds an old snapshot (a backup, a forgotten session), PostgreSQL cannot remove dead rows, and
/// a scan from the beginning reads everything that was finished meanwhile. So a scan starts at the lowest waiting
/// number that the scan of at least a minute ago found: every transaction in progress then has committed by now. An
/// entry that returns to the queue below that number, such as a reopened message, is found by occasional scans from the
/// beginning. They run once a minute, or less often if they are slow, so that they take at most a three-hundredth of
/// the time.
package struct QueueStart<Number: RowNumber> {
  private var found: [(at: Instant, lowest: Number)] = []
  private var fromTheBeginningAt = Instant(nanoseconds: .min)

  /// How old a scan must be to be relied on: longer than any of our transactions takes from assigning a number to its
  /// commit.
  private static var margin: Duration { .seconds(60) }
  /// Minimum time between scans from the beginning, however quick they are.
  private static var interval: Duration { .seconds(60) }
  /// Minimum time between scans from the beginning, as a multiple of the duration of the last one.
  private static var rest: Int { 300 }

  package init() {}

  /// Returns the number at which the next scan may start, because no lower entry waits; 0 to scan from the beginning.
  package func begin(at now: Instant) -> Number {
    guard now < fromTheBeginningAt, let first = found.first, now - first.at >= Self.margin else { return .zero }
    return found.map(\.lowest).min() ?? .zero
  }

  /// Records the result of a scan.
  /// - Parameters:
  ///   - start: the number the scan started at.
  ///   - lowest: the lowest number that waits; if none does, the last number assigned before the scan.
  ///   - began: when the scan began; taken before the last assigned number was read.
  ///   - ended: when the scan ended.
  package mutating func looked(from start: Number, found lowest: Number, began: Instant, ended: Instant) {
    // Keep one scan that is older than the margin, and drop those before it.
    while found.count > 1, began - found[1].at >= Self.margin { found.removeFirst() }
    found.append((began, lowest))
    if start == .zero { fromTheBeginningAt = ended + max(Self.interval, (ended - began) * Self.rest) }
  }
}
