/// What a connection has scheduled for the end of the loop's turn.
///
/// Invariant: it is at most once in each of the server's two queues.
final class ConnectionTurn {
  private(set) var isQueuedForFlush = false
  private var isQueuedForResume = false

  /// Returns false when it is queued already.
  func takesResume() -> Bool {
    defer { isQueuedForResume = true }
    return !isQueuedForResume
  }

  func takesFlush() -> Bool {
    defer { isQueuedForFlush = true }
    return !isQueuedForFlush
  }

  func resumes() { isQueuedForResume = false }
  func flushes() { isQueuedForFlush = false }
}
