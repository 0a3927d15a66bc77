internal import Reactor

/// From when on to look for deferred deliveries that are due. Those of paused apps and messages stay due until they are
/// resumed: however many they are, they must not be walked through with every look. What is found held is passed over until
/// something is resumed, and looked at again every few seconds all the same.
///
/// Times are microseconds since 1970.
struct DueScanWatermark {
  private var heldUpTo: Int64 = 0
  private var lookedAt: Int64 = 0
  /// How long after a look at everything the next one follows by itself.
  private var interval = Limits.heldLookMicroseconds
  /// What was held at the last look.
  private var held = Held()

  struct Held: Equatable {
    var apps: Set<Int32> = []
    var messages: Set<Int64> = []
  }

  /// Where to begin; everything that was due before is held.
  mutating func begin(at now: Int64, held present: Held) -> Int64 {
    let isResumed = !held.apps.isSubset(of: present.apps) || !held.messages.isSubset(of: present.messages)
    if isResumed || now - lookedAt > interval || now < lookedAt {
      heldUpTo = 0
      lookedAt = now
    }
    held = present
    return heldUpTo
  }

  /// A look at everything may have become dear: what was done for hours lies there while somebody keeps an old snapshot.
  mutating func looked(from start: Int64, for time: Duration) {
    guard start == 0 else { return }
    interval = max(Limits.heldLookMicroseconds, time.nanoseconds / 1_000 * Limits.heldLookRest)
  }

  /// A look from there to `now` has taken everything that is not held.
  mutating func passed(_ now: Int64) {
    // What is written at this moment may be due a little earlier than what is there already.
    heldUpTo = now - Limits.heldMarginMicroseconds
  }
}
