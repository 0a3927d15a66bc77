/// Where a connection stands.
///
/// ```
///   opening ──► head ──► body ──► handling ──► head …      one request after the other
///   (proxy header,│       │         │   └► streaming ─┘
///    handshake)   └───────┴─────────┴───────┴──► closing ──► lingering ──► closed
///                          last answer is being sent    write side shut   descriptor gone
/// ```
enum ConnectionPhase {
  /// A proxy's header or the handshake of TLS is under way; nothing of HTTP has been said.
  case opening
  /// Idle, or a head has begun to arrive.
  case head
  /// The head is complete, the body is not.
  case body
  /// The handler has the request and owes the answer.
  case handling
  /// The head of the answer is out, its body comes in pieces.
  case streaming
  /// The last answer is on its way; no more requests are read.
  case closing
  /// All is sent and the write side is shut; what still arrives is dropped, so that no reset destroys the answer.
  case lingering
  case closed
}
