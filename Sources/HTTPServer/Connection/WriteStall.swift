internal import Reactor

/// Whether a client takes what it is sent. Pure: what is left and what the kernel holds in, a verdict out.
///
/// Invariant: it is stalled exactly while something is unsent after the last send, and the time limit begins anew whenever
/// the client has taken something.
final class WriteStall {
  /// The kernel takes no more bytes at present: the client is slow to read.
  private(set) var isStalled = false
  private var deadline = Instant(nanoseconds: 0)
  /// What the kernel still held for the client when it was last seen to take something.
  private var held = Int.max

  /// Bytes were sent.
  /// - Parameter before: bytes that were unsent until then.
  func sent(_ before: Int, left: Int, at now: Instant, timeout: Duration) {
    let wasStalled = isStalled
    isStalled = left > 0
    guard isStalled, !wasStalled || left < before else { return }
    deadline = now + timeout
    held = .max
  }

  /// The kernel reports room only when a third of its buffer is free, which takes a slow client long: so it is asked
  /// whether the client has taken anything.
  /// - Parameter held: bytes that the kernel has taken and the client's has not.
  /// - Returns: true when the client has taken nothing for too long.
  func isOver(held: Int, at now: Instant, timeout: Duration) -> Bool {
    guard held < self.held else { return now >= deadline }
    self.held = held
    deadline = now + timeout
    return false
  }
}
