/// An answer that is written in pieces: for generated downloads and for server-sent events. For the loop's thread;
/// other threads use `ResponseTicket.stream`. Cheap to copy.
///
/// Pieces collect until the end of the turn like all output. A source that can produce faster than its client reads
/// should write a piece, then wait for `whenDrained`; otherwise it is cut off above `HTTPLimits.streamBytes`.
package struct ResponseStream {
  let connection: any Answering
  let serial: UInt64

  /// False when the client has gone or the stream is finished.
  package var isOpen: Bool { connection.isStreaming(serial) }

  /// Bytes not sent to the client yet; 0 when the client has gone.
  package var unsentBytes: Int { isOpen ? connection.unsentBytes : 0 }

  /// Adds a piece. Returns false when the client has gone.
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

  /// Ends the answer. The connection continues with the next request.
  package func finish() {
    connection.finishStream(serial)
  }

  /// Calls `action` once, when all that was written has been sent. Replaces an earlier action.
  package func whenDrained(_ action: @escaping () -> Void) {
    connection.whenDrained(serial, action)
  }

  /// Calls `action` when the client goes before the stream is finished. Replaces an earlier action.
  package func whenAbandoned(_ action: @escaping () -> Void) {
    connection.whenAbandoned(serial, action)
  }
}

/// One event of a `text/event-stream` (WHATWG HTML, server-sent events).
package struct ServerSentEvent: Sendable {
  package static let headers = [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")]
  /// A comment, which clients ignore: sent regularly, it keeps proxies from closing the connection.
  package static let keepAlive = ":\n\n"

  package var event: String?
  package var id: String?
  package var data: String

  package init(event: String? = nil, id: String? = nil, data: String) {
    self.event = event
    self.id = id
    self.data = data
  }

  /// The event's wire format. Line breaks in the data make several data lines; in other fields they are dropped.
  package var text: String {
    var lines: [String] = []
    if let event { lines.append("event: \(Self.oneLine(event))") }
    if let id { lines.append("id: \(Self.oneLine(id))") }
    for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      lines.append("data: \(line)")
    }
    return lines.joined(separator: "\n") + "\n\n"
  }

  private static func oneLine(_ text: String) -> String {
    String(text.unicodeScalars.filter { $0 != "\r" && $0 != "\n" && $0 != "\0" })
  }
}
