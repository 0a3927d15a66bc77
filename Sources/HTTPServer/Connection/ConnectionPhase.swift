/// State of a connection.
///
/// ```
///   opening ──► head ──► body ──► handling ──► head …      one request after the other
///   (proxy header,│       │         │   └► streaming ─┘
///    handshake)   └───────┴─────────┴───────┴──► closing ──► lingering ──► closed
///                        last response is being sent    write side shut   descriptor gone
/// ```
enum ConnectionPhase {
  /// The PROXY header or the TLS handshake is in progress.
  case opening
  /// The connection is idle, or a request's head is arriving.
  case head
  /// The head is complete, and the body is arriving.
  case body
  /// The handler has the request, or only its head while it holds the body back, and has not answered yet.
  case handling
  /// The head of a streamed response is written; its body follows in pieces.
  case streaming
  /// The last response is being sent; no more requests are read.
  case closing
  /// All output is sent and the sending side is shut down; input is discarded, because closing now could cause a reset
  /// that destroys the response.
  case lingering
  case closed
}

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
