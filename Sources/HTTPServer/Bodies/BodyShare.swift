internal import Synchronization

/// What one body holds of a budget. Its connection has it from the first large read until the answer, and so has every copy
/// that a handler keeps: with the last of them the room is free again. A client that leaves frees nothing that is still
/// worked on.
final class BodyShare: Sendable {
  private let budget: ByteBudget
  private let taken = Atomic(0)

  init(of budget: ByteBudget) {
    self.budget = budget
  }

  deinit { budget.give(bytes) }

  var bytes: Int { taken.load(ordering: .relaxed) }

  /// Takes what is missing to so many bytes. False when that would be too much: it stays as it was.
  func grow(to bytes: Int) -> Bool {
    let more = bytes - self.bytes
    guard more > 0 else { return true }
    guard budget.take(more) else { return false }
    taken.add(more, ordering: .relaxed)
    return true
  }
}
