internal import Reactor
internal import Tracing

/// The operations by which a `Responder` or a `ResponseStream` answers requests (`Answering`).
extension Connection {
  func ticket(_ serial: UInt64) -> ResponseTicket {
    ResponseTicket(replies: server.replies, slot: slot, connection: identity, serial: serial)
  }

  func span(_ serial: UInt64) -> TraceContext? { serial == self.serial ? request.span?.context : nil }

  /// Returns whether the handler has this request and has not begun to answer it.
  func isAwaiting(_ serial: UInt64) -> Bool { phase == .handling && serial == self.serial }
  func isStreaming(_ serial: UInt64) -> Bool { phase == .streaming && serial == self.serial }

  // MARK: Whole responses

  func respond(_ serial: UInt64, _ response: Response) {
    _ = answer(serial, in: .handling) { $0.write(response, by: &server.writer, now: server.loop.now) }
  }

  func respond(_ serial: UInt64, _ status: Status, _ contentType: StaticString, _ body: Span<UInt8>) {
    _ = answer(serial, in: .handling) {
      $0.write(status, contentType, body, by: &server.writer, now: server.loop.now)
    }
  }

  func respond(
    _ serial: UInt64, _ status: Status, _ contentType: StaticString, _ write: (inout ByteBuffer) -> Void
  ) {
    _ = answer(serial, in: .handling) {
      $0.write(status, contentType, by: &server.writer, now: server.loop.now, body: write)
    }
  }

  // MARK: Responses in pieces

  /// Writes the head of a response whose body follows in pieces. Returns false if the request is answered already or
  /// the client has disconnected; also for an event stream whose client has shut down its sending side, after closing
  /// the connection.
  func beginStream(_ serial: UInt64, _ status: Status, _ headers: [(String, String)], length: Int?) -> Bool {
    if isAwaiting(serial), inputHasEnded, StreamedAnswer.isEndless(headers) {
      close()
      return false
    }
    return answer(serial, in: .handling) {
      $0.beginStream(status, headers, length: length, by: &server.writer, now: server.loop.now)
    }
  }

  /// Appends a piece to a streamed response. Returns false if the stream is not open any more, or if more than
  /// `HTTPLimits.streamBytes` would be unsent, after resetting the connection.
  func writeStream(_ serial: UInt64, _ piece: Span<UInt8>) -> Bool {
    let isTooMuch = unsentBytes + piece.count > HTTPLimits.streamBytes
    return answer(serial, in: .streaming) { isTooMuch ? .broken : $0.write(piece) }
  }

  func finishStream(_ serial: UInt64) {
    _ = answer(serial, in: .streaming) { $0.finishStream() }
  }

  func whenDrained(_ serial: UInt64, _ action: @escaping () -> Void) {
    _ = answer(serial, in: .streaming) { $0.whenDrained(action) }
  }

  func whenAbandoned(_ serial: UInt64, _ action: @escaping () -> Void) {
    _ = answer(serial, in: .streaming) { $0.whenAbandoned(action) }
  }
}
