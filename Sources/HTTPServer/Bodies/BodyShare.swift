internal import Synchronization

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
