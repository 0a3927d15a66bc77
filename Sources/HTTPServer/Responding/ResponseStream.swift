/// A response that is written in pieces, for generated downloads and server-sent events. Confined to the loop's thread;
/// other threads use `ResponseTicket.stream`. Cheap to copy.
///
/// Pieces are collected until the end of the loop iteration like all output. A source that can produce data faster than
/// its client reads should write a piece, then wait for `whenDrained`; otherwise the client is disconnected when more
/// than `HTTPLimits.streamBytes` are unsent.
package struct ResponseStream {
  let connection: any Answering
  let serial: UInt64

  /// True until the stream is finished or the client has disconnected.
  package var isOpen: Bool { connection.isStreaming(serial) }

  /// Number of bytes not sent to the client yet, including those of earlier responses; 0 if the stream is finished or
  /// the client has disconnected.
  package var unsentBytes: Int { isOpen ? connection.unsentBytes : 0 }

  /// Appends a piece; an empty one has no effect. Returns false if the stream is not open, or if the client is
  /// disconnected now, because too much is unsent. Traps if the body exceeds the length announced for it.
  @discardableResult
  package func write(_ piece: [UInt8]) -> Bool {
    connection.writeStream(serial, piece.span)
  }

  @discardableResult
  package func write(_ piece: Span<UInt8>) -> Bool {
    connection.writeStream(serial, piece)
  }

  @discardableResult
  package func write(_ piece: String) -> Bool {
    connection.writeStream(serial, Array(piece.utf8).span)
  }

  /// Ends the response; has no effect if the stream is not open. The connection continues with the next request, but is
  /// reset if the body is shorter than announced.
  package func finish() {
    connection.finishStream(serial)
  }

  /// Calls `action` once, later, when all pieces written so far have been sent; never if the stream ends before, or is
  /// not open. Replaces an earlier action.
  package func whenDrained(_ action: @escaping () -> Void) {
    connection.whenDrained(serial, action)
  }

  /// Calls `action` if the connection closes, for whatever reason, before the stream is finished; never if the stream
  /// is not open any more. Replaces an earlier action.
  package func whenAbandoned(_ action: @escaping () -> Void) {
    connection.whenAbandoned(serial, action)
  }
}

/// An event of a `text/event-stream` (WHATWG HTML, server-sent events).
package struct ServerSentEvent: Sendable {
  package static let headers = [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")]
  /// A comment, which clients ignore. Sent regularly, it keeps proxies from closing the connection.
  package static let keepAlive = ":\n\n"

  package var event: String?
  package var id: String?
  package var data: String

  package init(event: String? = nil, id: String? = nil, data: String) {
    self.event = event
    self.id = id
    self.data = data
  }

  /// The event in its wire format, without fields that are nil. Line breaks in the data produce several data lines; in
  /// other fields they are removed. Only CR and LF are line breaks here: clients read U+2028 and the like as text, and
  /// JSON contains them unescaped.
  package var text: String {
    var lines: [String] = []
    if let event { lines.append("event: \(Self.oneLine(event))") }
    if let id { lines.append("id: \(Self.oneLine(id))") }
    for line in data.split(omittingEmptySubsequences: false, whereSeparator: { ["\n", "\r", "\r\n"].contains($0) }) {
      lines.append("data: \(line)")
    }
    return lines.joined(separator: "\n") + "\n\n"
  }

  private static func oneLine(_ text: String) -> String {
    String(text.unicodeScalars.filter { $0 != "\r" && $0 != "\n" && $0 != "\0" })
  }
}
