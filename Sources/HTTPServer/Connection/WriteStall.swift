internal import Reactor

/// Detects clients that do not read their answers. Pure: unsent bytes and bytes held by the kernel in, a verdict out.
///
/// Invariant: it is stalled exactly while bytes are unsent after the last send, and the timeout restarts whenever the
/// client has read something.
final class WriteStall {
  /// The kernel takes no more bytes now: the client reads slowly.
  private(set) var isStalled = false
  private var deadline = Instant(nanoseconds: 0)
  /// The least that the kernel has held for the client since the timeout last restarted.
  private var held = Int.max

  /// Records a send.
  /// - Parameter before: bytes that were unsent before it.
  func sent(_ before: Int, left: Int, at now: Instant, timeout: Duration) {
    let wasStalled = isStalled
    isStalled = left > 0
    guard isStalled, !wasStalled || left < before else { return }
    deadline = now + timeout
    held = .max
  }

  /// Checks the timeout. The kernel reports room only when a third of its buffer is free, which takes a slow client
  /// long, so `held` shows whether the client has read anything.
  /// - Parameter held: bytes that our kernel holds and the client's has not acknowledged.
  /// - Returns: true when the client has read nothing for too long.
  func isOver(held: Int, at now: Instant, timeout: Duration) -> Bool {
    guard held < self.held else { return now >= deadline }
    self.held = held
    deadline = now + timeout
    return false
  }
}
