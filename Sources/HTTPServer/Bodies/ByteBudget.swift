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
  fileprivate func take(_ bytes: Int) -> Bool {
    guard hasRoom(for: bytes) else { return false }
    taken.add(bytes, ordering: .relaxed)
    return true
  }

  fileprivate func release(_ bytes: Int) {
    let before = taken.subtract(bytes, ordering: .relaxed).oldValue
    precondition(bytes <= before, "more bytes are given back than were taken")
  }
}

/// One request's share of a budget. The connection keeps a reference to it from the first large read until the
/// response, and so does every copy of the request that a handler keeps; the bytes return to the budget with the last
/// reference. A client that disconnects therefore releases nothing that is still being processed.
final class BodyShare: Sendable {
  private let budget: ByteBudget
  private let taken = Atomic(0)

  init(of budget: ByteBudget) {
    self.budget = budget
  }

  deinit { budget.release(bytes) }

  var bytes: Int { taken.load(ordering: .relaxed) }

  /// Raises the share to `bytes` in total; never lowers it. Returns false, changing nothing, if that exceeds the
  /// budget.
  func grow(to bytes: Int) -> Bool {
    let more = bytes - self.bytes
    guard more > 0 else { return true }
    guard budget.take(more) else { return false }
    taken.add(more, ordering: .relaxed)
    return true
  }
}
