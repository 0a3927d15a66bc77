internal import Reactor

/// An answer that is written in pieces: how they go over the wire, and who wants to know of its progress.
///
/// Invariant: as many bytes as were said, if that was said; an empty piece is left out, for an empty chunk would end the
/// body. Pure but for what it is told to call.
struct StreamedAnswer {
  let status: Status
  /// Events have no end to wait for: a client that has shut its side has gone. Browsers leave a page so.
  let isEndless: Bool
  /// Whether pieces go in chunks; else the end of the connection ends the body (HTTP/1.0).
  private let isChunked: Bool
  /// True when nothing of the body may be sent: the answer to HEAD.
  private let isSilent: Bool
  /// Bytes that are still owed, when the length was said.
  private var owedBytes: Int?
  private var drained: (() -> Void)?
  private var ended: (() -> Void)?

  /// - Parameter length: of the body in bytes; nil when it is not known.
  init(_ status: Status, _ exchange: ResponseWriter.Exchange, length: Int?, isEndless: Bool) {
    self.status = status
    self.isEndless = isEndless
    isChunked = exchange.minorVersion > 0 && length == nil
    isSilent = exchange.isHead || status.forbidsBody
    owedBytes = length
  }

  /// Whether these are the headers of events.
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

  /// Returns false when the body is shorter than was said: the client must not take it for the whole.
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

  /// What to call when all so far has been sent: once.
  mutating func takeDrained() -> (() -> Void)? {
    defer { drained = nil }
    return drained
  }

  /// What to call when the client has gone.
  var abandoned: (() -> Void)? { ended }
}
