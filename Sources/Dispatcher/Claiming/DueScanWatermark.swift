internal import Domain
internal import Reactor

/// Low-water mark of the scan for due deliveries. Deliveries of paused apps and messages may be many; once found, they
/// are skipped until something is resumed, and rescanned only every few seconds.
///
/// Times are in microseconds since 1970. Decision 052.
struct DueScanWatermark {
  private var heldUpTo: Int64 = 0
  private var lookedAt: Int64 = 0
  /// Time after a full scan until the next one, in microseconds.
  private var interval = Limits.heldLookMicroseconds
  /// The apps and messages that were paused at the last scan.
  private var held = Held()

  struct Held: Equatable {
    var apps: Set<Int32> = []
    var messages: Set<Seqno> = []
  }

  /// Returns where to begin the scan: all deliveries due before are held by a pause. 0 requests a full scan.
  mutating func begin(at now: Int64, held present: Held) -> Int64 {
    let isResumed = !held.apps.isSubset(of: present.apps) || !held.messages.isSubset(of: present.messages)
    if isResumed || now - lookedAt > interval || now < lookedAt {
      heldUpTo = 0
      lookedAt = now
    }
    held = present
    return heldUpTo
  }

  /// Records the duration of a scan. Lengthens the interval if a full scan has become expensive, as it does while a
  /// long-lived snapshot keeps PostgreSQL from removing finished rows.
  mutating func looked(from start: Int64, for time: Duration) {
    guard start == 0 else { return }
    interval = max(Limits.heldLookMicroseconds, time.nanoseconds / 1_000 * Limits.heldLookRest)
  }

  /// Records that a scan up to `now` has claimed everything that is not held.
  mutating func passed(_ now: Int64) {
    // A transaction that is committing at this moment may add a row that was due slightly earlier.
    heldUpTo = now - Limits.heldMarginMicroseconds
  }
}
