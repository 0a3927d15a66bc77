package import Reactor

/// Where a look through a queue begins whose numbers are given in turn.
///
/// While somebody keeps an old snapshot (a backup, a forgotten session) PostgreSQL removes nothing, and a look from the
/// beginning walks over all that was done meanwhile. So a look begins at the lowest number that one of the last minute has
/// found: what was about to be committed then is there by now. What comes back below it (a message that is opened again) is
/// found by looks from the beginning: once a minute, or seldomer, for those of one queue take a three-hundredth of the time at
/// most, and a node has about five queues.
package struct QueueStart {
  private var found: [(at: Instant, lowest: Int64)] = []
  private var fromTheBeginningAt = Instant(nanoseconds: .min)

  /// Longer than any of our transactions takes from its number to its commit.
  private static let margin: Duration = .seconds(60)
  private static let interval: Duration = .seconds(60)
  /// Times that a look from the beginning took, until the next.
  private static let rest = 300

  package init() {}

  /// Below this nothing waits; 0: look at everything.
  package func begin(at now: Instant) -> Int64 {
    guard now < fromTheBeginningAt, let first = found.first, now - first.at >= Self.margin else { return 0 }
    return found.map(\.lowest).min() ?? 0
  }

  /// - Parameters:
  ///   - start: where the look began.
  ///   - lowest: the lowest number that waits; when none does, the last one that was given before the look.
  ///   - began: taken before the look, and before that last number.
  package mutating func looked(from start: Int64, found lowest: Int64, began: Instant, ended: Instant) {
    // The oldest one kept is a margin old: it stands for all before it.
    while found.count > 1, began - found[1].at >= Self.margin { found.removeFirst() }
    found.append((began, lowest))
    if start == 0 { fromTheBeginningAt = ended + max(Self.interval, (ended - began) * Self.rest) }
  }
}
