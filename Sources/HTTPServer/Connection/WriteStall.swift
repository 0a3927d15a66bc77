internal import Reactor

/// Detects clients that do not read their responses, from the numbers of unsent and unacknowledged bytes.
///
/// Invariant: `isStalled` is true exactly while bytes are unsent after the last send, and the timeout restarts whenever
/// the client has read something.
final class WriteStall {
  /// True while the kernel accepts no more bytes, because the client reads slowly.
  private(set) var isStalled = false
  private var deadline = Instant(nanoseconds: 0)
  /// The smallest number of unacknowledged bytes that `isOver` was given since the last send with progress; `Int.max`
  /// before its first call.
  private var held = Int.max

  /// Records a send and its result. Restarts the timeout if bytes are left unsent, and the send made progress or is the
  /// first that left some.
  /// - Parameters:
  ///   - before: bytes unsent before it.
  ///   - left: bytes unsent after it.
  ///   - timeout: time for which the client may read nothing.
  /// - Returns: true if bytes were left unsent before, and none are now.
  func sent(_ before: Int, left: Int, at now: Instant, timeout: Duration) -> Bool {
    let wasStalled = isStalled
    isStalled = left > 0
    guard isStalled else { return wasStalled }
    guard !wasStalled || left < before else { return false }
    deadline = now + timeout
    held = .max
    return false
  }

  /// Checks the timeout. The kernel reports writability only when a third of its buffer is free, which can take a slow
  /// client long; a falling `held` shows sooner that the client reads.
  /// - Parameter held: sent bytes that the client's kernel has not acknowledged.
  /// - Returns: true if the client has read nothing for `timeout`.
  func isOver(held: Int, at now: Instant, timeout: Duration) -> Bool {
    guard held < self.held else { return now >= deadline }
    self.held = held
    deadline = now + timeout
    return false
  }
}
