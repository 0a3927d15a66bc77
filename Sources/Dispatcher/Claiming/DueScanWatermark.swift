internal import Reactor

/// Low-water mark of the due scan, so that deliveries of paused apps and messages, however many, are not rescanned on
/// every poll. What is found held is skipped until something is resumed, and rescanned every few seconds regardless.
///
/// Times are in microseconds since 1970. Decision 052.
struct DueScanWatermark {
  private var heldUpTo: Int64 = 0
  private var lookedAt: Int64 = 0
  /// How long after a full scan the next one is due.
  private var interval = Limits.heldLookMicroseconds
  /// What was held at the last scan.
  private var held = Held()

  struct Held: Equatable {
    var apps: Set<Int32> = []
    var messages: Set<Int64> = []
  }

  /// Where to begin the scan; everything due before is held.
  mutating func begin(at now: Int64, held present: Held) -> Int64 {
    let isResumed = !held.apps.isSubset(of: present.apps) || !held.messages.isSubset(of: present.messages)
    if isResumed || now - lookedAt > interval || now < lookedAt {
      heldUpTo = 0
      lookedAt = now
    }
    held = present
    return heldUpTo
  }

  /// Lengthens the interval if a full scan has become expensive: while an old snapshot lives, PostgreSQL keeps hours of
  /// finished rows.
  mutating func looked(from start: Int64, for time: Duration) {
    guard start == 0 else { return }
    interval = max(Limits.heldLookMicroseconds, time.nanoseconds / 1_000 * Limits.heldLookRest)
  }

  /// A scan from the mark to `now` has taken everything that is not held.
  mutating func passed(_ now: Int64) {
    // A row being written at this moment may be due a little earlier than those already there.
    heldUpTo = now - Limits.heldMarginMicroseconds
  }
}
