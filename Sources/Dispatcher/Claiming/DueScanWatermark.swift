internal import Domain
internal import Reactor
internal import Time

/// Low-water mark of the scan for due deliveries. Deliveries of paused apps and messages may be many; after a scan has
/// read them, later scans skip them, until an app or message is resumed or `Limits.heldLookInterval` has passed (a
/// longer time if full scans are expensive).
///
/// Decision 052.
struct DueScanWatermark {
  private var heldUpTo: Timestamp = .zero
  private var lookedAt: Timestamp = .zero
  /// Time after a full scan until the next one.
  private var interval = Limits.heldLookInterval
  /// The paused apps, and the messages that were paused or being cancelled, at the last scan.
  private var held = Held()

  struct Held: Equatable {
    var apps: Set<Int32> = []
    var messages: Set<Seqno> = []
  }

  /// Returns the due time at which to begin the scan: all deliveries due earlier are held by a pause. `.zero` requests
  /// a full scan.
  /// - Parameter present: the paused apps, and the messages that are paused or being cancelled, now.
  mutating func begin(at now: Timestamp, held present: Held) -> Timestamp {
    let isResumed = !held.apps.isSubset(of: present.apps) || !held.messages.isSubset(of: present.messages)
    if isResumed || now - lookedAt > interval || now < lookedAt {
      heldUpTo = .zero
      lookedAt = now
    }
    held = present
    return heldUpTo
  }

  /// Records the duration of a full scan; ignores other scans. Lengthens the interval if the scan was expensive, as it
  /// is while a long-lived snapshot keeps PostgreSQL from removing finished rows.
  /// - Parameter start: where the scan began, as returned by `begin`.
  mutating func looked(from start: Timestamp, for time: Duration) {
    guard start == .zero else { return }
    interval = max(Limits.heldLookInterval, time * Int(Limits.heldLookRest))
  }

  /// Records that a scan up to `now` has claimed everything that is not held.
  mutating func passed(_ now: Timestamp) {
    // A transaction that is committing at this moment may add a row that was due slightly earlier.
    heldUpTo = now - Limits.heldMargin
  }
}
