internal import Synchronization

/// One body's share of a budget. Held by the connection from the first large read until the response, and by every copy
/// that a handler keeps; released with the last of them. A client that disconnects therefore releases nothing that is
/// still being processed.
final class BodyShare: Sendable {
  private let budget: ByteBudget
  private let taken = Atomic(0)

  init(of budget: ByteBudget) {
    self.budget = budget
  }

  deinit { budget.release(bytes) }

  var bytes: Int { taken.load(ordering: .relaxed) }

  /// Grows the share to `bytes` in total. Returns false, without changing it, if that exceeds the budget.
  func grow(to bytes: Int) -> Bool {
    let more = bytes - self.bytes
    guard more > 0 else { return true }
    guard budget.take(more) else { return false }
    taken.add(more, ordering: .relaxed)
    return true
  }
}
