/// What of a connection is to be gone on with when the loop's turn ends.
///
/// Invariant: it stands at most once in each of the server's two lists.
final class ConnectionTurn {
  private(set) var isQueuedForFlush = false
  private var isQueuedForResume = false

  /// False when it stands there already.
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
