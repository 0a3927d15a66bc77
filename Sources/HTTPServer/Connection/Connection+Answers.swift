internal import Reactor

/// The forms in which a handler can answer. All of them write into `output`; nothing is sent before the turn ends.
extension Connection {
  func respond(_ serial: UInt64, _ response: Response) {
    guard isAwaiting(serial) else { return }
    settleKeepAlive()
    output.reattach()
    server.writer.writeHead(
      response.status, headers: response.headers, bodyCount: response.body.count, exchange, now: server.loop.now,
      to: &output.buffer)
    if !exchange.isHead, !response.status.forbidsBody { output.append(body: response.body) }
    answered(response.status)
  }

  func respond(_ serial: UInt64, _ status: Status, _ contentType: StaticString, _ body: Span<UInt8>) {
    guard isAwaiting(serial) else { return }
    settleKeepAlive()
    server.writer.write(status, contentType, body, exchange, now: server.loop.now, to: &output)
    answered(status)
  }

  func respond(_ serial: UInt64, _ status: Status, _ contentType: StaticString, _ body: StaticString) {
    respond(serial, status, contentType) { $0.append(body) }
  }

  func respond(
    _ serial: UInt64, _ status: Status, _ contentType: StaticString, _ write: (inout ByteBuffer) -> Void
  ) {
    guard isAwaiting(serial) else { return }
    settleKeepAlive()
    server.writer.write(status, contentType, exchange, now: server.loop.now, to: &output, body: write)
    answered(status)
  }

  /// Whether a further request may be answered before what is unsent is taken.
  var mayBegin: Bool {
    unsentBytes == 0
      || unsentBytes < HTTPLimits.outputBytes && server.unsentBytes < server.configuration.outputMemoryBytes
  }

  private func settleKeepAlive() {
    if server.isDraining { exchange.keepsAlive = false }
  }

  func ticket(_ serial: UInt64) -> ResponseTicket {
    ResponseTicket(replies: server.replies, slot: slot, connection: identity, serial: serial)
  }

  // MARK: Streams

  /// What a connection must remember while its answer is written in pieces.
  struct StreamState {
    let status: Status
    /// Whether pieces go in chunks; else the end of the connection ends the body (HTTP/1.0).
    let isChunked: Bool
    /// True when nothing of the body may be sent: the answer to HEAD.
    let isSilent: Bool
    /// Events have no end to wait for: a client that has shut its side has gone. Browsers leave a page so.
    let isEndless: Bool
    /// Bytes that are still owed, when the length was said.
    var owedBytes: Int?
    var drained: (() -> Void)?
    var ended: (() -> Void)?
  }

  func isStreaming(_ serial: UInt64) -> Bool { phase == .streaming && serial == self.serial }

  /// Sends the head of an answer whose body follows in pieces. False when the client has gone.
  func beginStream(_ serial: UInt64, _ status: Status, _ headers: [(String, String)], length: Int?) -> Bool {
    guard isAwaiting(serial) else { return false }
    let isEndless = headers.contains { $0 == ServerSentEvent.headers[0] }
    if isEndless, inputEnded {
      close()
      return false
    }
    settleKeepAlive()
    if exchange.minorVersion == 0, length == nil { exchange.keepsAlive = false }
    output.reattach()
    server.writer.writeHead(
      status, headers: headers, bodyCount: length, exchange, now: server.loop.now, to: &output.buffer)
    stream = StreamState(
      status: status, isChunked: exchange.minorVersion > 0 && length == nil,
      isSilent: exchange.isHead || status.forbidsBody, isEndless: isEndless,
      owedBytes: length)
    phase = .streaming
    outputGrew()
    return true
  }

  func writeStream(_ serial: UInt64, _ piece: Span<UInt8>) -> Bool {
    guard isStreaming(serial), let stream else { return false }
    guard unsentBytes + piece.count <= HTTPLimits.streamBytes else {
      abandon()
      return false
    }
    // An empty chunk would end the body.
    guard !stream.isSilent, !piece.isEmpty else { return true }
    if let owed = stream.owedBytes {
      precondition(piece.count <= owed, "more bytes than the length that was said")
      self.stream?.owedBytes = owed - piece.count
    }
    if stream.isChunked {
      output.buffer.append(String(piece.count, radix: 16))
      output.buffer.append("\r\n")
    }
    output.buffer.append(piece)
    if stream.isChunked { output.buffer.append("\r\n") }
    outputGrew()
    return true
  }

  func finishStream(_ serial: UInt64) {
    guard isStreaming(serial), let stream else { return }
    if !stream.isSilent, let owed = stream.owedBytes, owed > 0 { return abandon() }
    if stream.isChunked, !stream.isSilent { output.buffer.append("0\r\n\r\n") }
    self.stream = nil
    answered(stream.status)
  }

  func whenDrained(_ serial: UInt64, _ action: @escaping () -> Void) {
    guard isStreaming(serial) else { return }
    stream?.drained = action
    if streamMayGoOn, !isQueuedForFlush { server.queueResume(self) }
  }

  func whenAbandoned(_ serial: UInt64, _ action: @escaping () -> Void) {
    if isStreaming(serial) { stream?.ended = action }
  }

  var streamMayGoOn: Bool { stream?.drained != nil && unsentBytes == 0 }

  /// All of the stream so far has been sent: tells its source, once.
  func streamDrained() {
    let action = stream?.drained
    stream?.drained = nil
    action?()
  }

  func streamEnded() {
    let action = stream?.ended
    stream = nil
    action?()
  }
}
