internal import Reactor

/// State of a response that is written in pieces: its framing, and the actions to call on its progress.
///
/// Invariant: the body has exactly the announced length, if one was announced. Empty pieces are dropped, because an
/// empty chunk would end the body.
struct StreamedAnswer {
  let status: Status
  /// True for event streams, which do not end by themselves: a client that shuts down its sending side counts as
  /// disconnected, because browsers do so when they leave a page.
  let isEndless: Bool
  /// True if pieces are sent as chunks; otherwise the announced length or the end of the connection ends the body.
  private let isChunked: Bool
  /// True if no body may be sent, as in the response to HEAD.
  private let isSilent: Bool
  /// Number of body bytes still to be written; nil if no length was announced.
  private var owedBytes: Int?
  private var drained: (() -> Void)?
  private var ended: (() -> Void)?

  /// Creates the state of a response whose head has been written.
  /// - Parameter length: size of the body in bytes; nil if unknown.
  init(_ status: Status, _ exchange: ResponseWriter.Exchange, length: Int?, isEndless: Bool) {
    self.status = status
    self.isEndless = isEndless
    isChunked = exchange.minorVersion > 0 && length == nil
    isSilent = exchange.isHead || status.forbidsBody
    owedBytes = length
  }

  /// Returns whether these are the headers of an event stream: whether they contain the Content-Type of
  /// `ServerSentEvent.headers`, in the same spelling.
  static func isEndless(_ headers: [(String, String)]) -> Bool {
    headers.contains { $0 == ServerSentEvent.headers[0] }
  }

  /// Writes a piece. Returns false, writing nothing, if the piece is empty or the response must not have a body. Traps
  /// if the body would exceed its announced length.
  mutating func write(_ piece: Span<UInt8>, to buffer: inout ByteBuffer) -> Bool {
    guard !isSilent, !piece.isEmpty else { return false }
    if let owed = owedBytes {
      precondition(piece.count <= owed, "more bytes than the length that was said")
      owedBytes = owed - piece.count
    }
    if isChunked {
      buffer.append(String(piece.count, radix: 16))
      buffer.append("\r\n")
    }
    buffer.append(piece)
    if isChunked { buffer.append("\r\n") }
    return true
  }

  /// Ends the body. Returns false, writing nothing, if it is shorter than announced; the connection must then be reset.
  func finish(_ buffer: inout ByteBuffer) -> Bool {
    guard !isSilent else { return true }
    if let owedBytes, owedBytes > 0 { return false }
    if isChunked { buffer.append("0\r\n\r\n") }
    return true
  }

  // MARK: Progress

  var awaitsDrain: Bool { drained != nil }

  mutating func whenDrained(_ action: @escaping () -> Void) {
    drained = action
  }

  mutating func whenAbandoned(_ action: @escaping () -> Void) {
    ended = action
  }

  /// Removes and returns the action to call when everything so far has been sent; nil if there is none.
  mutating func takeDrained() -> (() -> Void)? {
    defer { drained = nil }
    return drained
  }

  /// The action to call when the client disconnects; nil if there is none.
  var abandoned: (() -> Void)? { ended }
}
