/// What of a connection is to be gone on with when the loop's turn ends.
///
/// Invariant: it stands at most once in each of the server's two lists.
struct ConnectionTurn {
  private(set) var isQueuedForFlush = false
  private var isQueuedForResume = false

  /// False when it stands there already.
  mutating func takesResume() -> Bool {
    defer { isQueuedForResume = true }
    return !isQueuedForResume
  }

  mutating func takesFlush() -> Bool {
    defer { isQueuedForFlush = true }
    return !isQueuedForFlush
  }

  mutating func resumes() { isQueuedForResume = false }
  mutating func flushes() { isQueuedForFlush = false }
}
