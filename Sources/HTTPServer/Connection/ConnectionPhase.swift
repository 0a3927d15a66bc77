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
