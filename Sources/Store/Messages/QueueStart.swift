package import Reactor

/// Low-water mark for scans of a queue whose entries are numbered in ascending order.
///
/// While another session holds an old snapshot (a backup, a forgotten session), PostgreSQL cannot remove dead rows, and
/// a scan from the beginning walks over everything finished meanwhile. So a scan starts at the lowest number that the
/// scans of the last minute have found: whatever was about to commit then is visible by now. An entry that comes back
/// below the mark (a message that is reopened) is found by scans from the beginning: once a minute, or less often,
/// because they take at most a three-hundredth of the time per queue, and a node has about five queues.
package struct QueueStart {
  private var found: [(at: Instant, lowest: Int64)] = []
  private var fromTheBeginningAt = Instant(nanoseconds: .min)

  /// Longer than any of our transactions takes from assigning its number to its commit.
  private static let margin: Duration = .seconds(60)
  private static let interval: Duration = .seconds(60)
  /// Pause between scans from the beginning, as a multiple of the last one's duration.
  private static let rest = 300

  package init() {}

  /// Returns the number to start at: nothing waits below it; 0: scan everything.
  package func begin(at now: Instant) -> Int64 {
    guard now < fromTheBeginningAt, let first = found.first, now - first.at >= Self.margin else { return 0 }
    return found.map(\.lowest).min() ?? 0
  }

  /// Records a scan.
  /// - Parameters:
  ///   - start: where the scan started.
  ///   - lowest: the lowest number waiting; if none is, the last number assigned before the scan.
  ///   - began: taken before the scan, and before that last number was read.
  package mutating func looked(from start: Int64, found lowest: Int64, began: Instant, ended: Instant) {
    // The oldest entry kept is one margin old and represents all before it.
    while found.count > 1, began - found[1].at >= Self.margin { found.removeFirst() }
    found.append((began, lowest))
    if start == 0 { fromTheBeginningAt = ended + max(Self.interval, (ended - began) * Self.rest) }
  }
}
