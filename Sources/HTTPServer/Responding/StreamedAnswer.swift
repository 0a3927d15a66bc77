internal import Reactor

/// State of an answer written in pieces: its framing, and the actions to call on its progress.
///
/// Invariant: the body has as many bytes as were announced, if any were; an empty piece is dropped, because an empty
/// chunk would end the body. Pure, apart from the actions it stores.
struct StreamedAnswer {
  let status: Status
  /// Event streams do not end by themselves: a client that shuts down its side has gone. Browsers leave a page this
  /// way.
  let isEndless: Bool
  /// Whether pieces are chunks; otherwise the end of the connection, or the announced length, ends the body.
  private let isChunked: Bool
  /// True when no body may be sent, as in the answer to HEAD.
  private let isSilent: Bool
  /// Bytes still owed, when a length was announced.
  private var owedBytes: Int?
  private var drained: (() -> Void)?
  private var ended: (() -> Void)?

  /// - Parameter length: of the body in bytes; nil when unknown.
  init(_ status: Status, _ exchange: ResponseWriter.Exchange, length: Int?, isEndless: Bool) {
    self.status = status
    self.isEndless = isEndless
    isChunked = exchange.minorVersion > 0 && length == nil
    isSilent = exchange.isHead || status.forbidsBody
    owedBytes = length
  }

  /// Whether these are the headers of an event stream.
  static func isEndless(_ headers: [(String, String)]) -> Bool {
    headers.contains { $0 == ServerSentEvent.headers[0] }
  }

  /// Returns false when nothing was written.
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

  /// Returns false when the body is shorter than announced: the client must not take it for complete.
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

  /// The action to call once everything so far has been sent; returned once.
  mutating func takeDrained() -> (() -> Void)? {
    defer { drained = nil }
    return drained
  }

  /// The action to call when the client has gone.
  var abandoned: (() -> Void)? { ended }
}
