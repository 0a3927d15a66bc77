internal import Synchronization

/// A limit on the total bytes, in memory or on disk, that many requests may hold, so that neither many slow uploads nor
/// clients that never finish one exhaust the machine.
///
/// Counts only bytes that have arrived, so announcing a large body does not block others. Only the server's loop takes
/// from the budget; any thread may release.
final class ByteBudget: Sendable {
  let limit: Int
  private let taken = Atomic(0)

  init(limit: Int) {
    self.limit = limit
  }

  var held: Int { taken.load(ordering: .relaxed) }

  /// Returns whether `bytes` more would fit now; another thread may change that at any time.
  func hasRoom(for bytes: Int) -> Bool { held + bytes <= limit }

  /// Takes `bytes` from the budget. Returns false, taking nothing, if the limit would be exceeded.
  func take(_ bytes: Int) -> Bool {
    guard hasRoom(for: bytes) else { return false }
    taken.add(bytes, ordering: .relaxed)
    return true
  }

  func release(_ bytes: Int) {
    let before = taken.subtract(bytes, ordering: .relaxed).oldValue
    precondition(bytes <= before, "more bytes are given back than were taken")
  }
}
