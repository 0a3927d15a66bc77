/// State of a connection.
///
/// ```
///   opening ──► head ──► body ──► handling ──► head …      one request after the other
///   (proxy header,│       │         │   └► streaming ─┘
///    handshake)   └───────┴─────────┴───────┴──► closing ──► lingering ──► closed
///                          last answer is being sent    write side shut   descriptor gone
/// ```
enum ConnectionPhase {
  /// A proxy's header or the TLS handshake is under way; HTTP has not begun.
  case opening
  /// Idle, or a head has begun to arrive.
  case head
  /// The head is complete, the body is not.
  case body
  /// The handler has the request and owes an answer.
  case handling
  /// The answer's head is written; its body follows in pieces.
  case streaming
  /// The last answer is being sent; no more requests are read.
  case closing
  /// All is sent and the write side is shut down; input is discarded, so that no reset destroys the answer.
  case lingering
  case closed
}
