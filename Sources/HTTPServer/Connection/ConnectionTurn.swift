/// The work that a connection has scheduled with the server: flushing its output, and resuming.
///
/// Invariant: the connection is in each of the server's two queues at most once.
final class ConnectionTurn {
  private(set) var isQueuedForFlush = false
  private var isQueuedForResume = false

  /// Marks the connection as queued for resuming. Returns false if it was queued already.
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
