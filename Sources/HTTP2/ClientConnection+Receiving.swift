internal import PlainText
internal import Reactor

/// Receives frames from the server. A protocol violation (RFC 9113) that leaves the two sides with different connection
/// state ends the connection with GOAWAY and an error; frames for finished requests are parsed and ignored.
extension ClientConnection {
  mutating func receive(_ bytes: inout ByteBuffer) throws(HTTP2Error) {
    guard !isBroken else { return bytes.removeAll() }
    if partial.isEmpty {
      let used = try bytes.withReadable { span throws(HTTP2Error) in try receiveFrames(span) }
      bytes.consume(used)
      bytes.withReadable { rest in partial.append(rest) }
    } else {
      bytes.withReadable { span in partial.append(span) }
      // `partial` is swapped out while it is parsed, because parsing may write to the connection.
      var gathered = ByteBuffer(capacity: 64)
      swap(&gathered, &partial)
      let used = try gathered.withReadable { span throws(HTTP2Error) in try receiveFrames(span) }
      gathered.consume(used)
      swap(&gathered, &partial)
    }
    bytes.removeAll()
  }

  /// Parses all complete frames; returns the bytes consumed.
  private mutating func receiveFrames(_ bytes: Span<UInt8>) throws(HTTP2Error) -> Int {
    var offset = 0
    while bytes.count - offset >= FrameHeader.bytes {
      let header = FrameHeader(bytes, at: offset)
      guard header.length <= HTTP2.Limits.smallestFrameBytes else {
        throw fail(.frameSizeError, "a frame of \(header.length) bytes")
      }
      let end = offset + FrameHeader.bytes + header.length
      guard end <= bytes.count else { break }
      try receive(header, bytes.extracting(offset + FrameHeader.bytes..<end))
      offset = end
    }
    return offset
  }

  private mutating func receive(_ header: FrameHeader, _ payload: Span<UInt8>) throws(HTTP2Error) {
    if let block, header.type != FrameHeader.Kind.continuation || header.streamID != block.streamID {
      throw fail(.protocolError, "a frame inside a header block")
    }
    guard hasSettings || header.type == FrameHeader.Kind.settings && !header.has(FrameHeader.Flag.acknowledgement)
    else { throw fail(.protocolError, "the first frame is not SETTINGS") }
    switch header.type {
    case FrameHeader.Kind.data: try receiveData(header, payload)
    case FrameHeader.Kind.headers: try receiveHeaders(header, payload)
    case FrameHeader.Kind.continuation: try receiveContinuation(header, payload)
    case FrameHeader.Kind.resetStream: try receiveReset(header, payload)
    case FrameHeader.Kind.settings: try receiveSettings(header, payload)
    case FrameHeader.Kind.ping: try receivePing(header, payload)
    case FrameHeader.Kind.goAway: try receiveGoAway(header, payload)
    case FrameHeader.Kind.windowUpdate: try receiveWindowUpdate(header, payload)
    case FrameHeader.Kind.pushPromise: throw fail(.protocolError, "PUSH_PROMISE, which we have forbidden")
    // PRIORITY and unknown frame types are ignored (RFC 9113 §5.5).
    default: try countIdle()
    }
  }

  /// Counts a frame that advances no request. Each costs little, but a hostile peer could send them endlessly.
  private mutating func countIdle() throws(HTTP2Error) {
    idleFrames += 1
    // Responses to cancelled streams may still arrive, so the limit grows with the number of streams ever open at once.
    if idleFrames > HTTP2.Limits.idleFrames + HTTP2.Limits.lateFrames * exchanges.count {
      throw fail(.enhanceYourCalm, "too many frames and no answer")
    }
  }

  /// Ends the connection: queues GOAWAY and returns the error.
  private mutating func fail(_ code: ErrorCode, _ reason: String) -> HTTP2Error {
    goAway(code)
    isBroken = true
    return HTTP2Error(operation: "receive", reason: "\(code): \(reason)")
  }

  // MARK: Answers

  /// Returns the range of the payload without padding (RFC 9113 §6.1); nil if the padding is longer than the frame.
  private func unpadded(_ header: FrameHeader, _ count: Int, first: UInt8) -> Range<Int>? {
    guard header.has(FrameHeader.Flag.padded) else { return 0..<count }
    let end = count - Int(first)
    return count >= 1 && end >= 1 ? 1..<end : nil
  }

  private mutating func receiveHeaders(_ header: FrameHeader, _ payload: Span<UInt8>) throws(HTTP2Error) {
    try requireKnownStream(header)
    guard var range = unpadded(header, payload.count, first: payload.isEmpty ? 0 : payload[0]) else {
      throw fail(.protocolError, "padding longer than its frame")
    }
    if header.has(FrameHeader.Flag.priority) {
      guard range.count >= 5 else { throw fail(.frameSizeError, "HEADERS too short for its priority") }
      range = range.lowerBound + 5..<range.upperBound
    }
    let fragment = payload.extracting(range)
    let endsStream = header.has(FrameHeader.Flag.endStream)
    guard !header.has(FrameHeader.Flag.endHeaders) else {
      return try receiveBlock(fragment, on: header.streamID, endsStream: endsStream)
    }
    block = HeaderBlock(streamID: header.streamID, endsStream: endsStream, bytes: Array(fragment))
  }

  private mutating func receiveContinuation(_ header: FrameHeader, _ payload: Span<UInt8>) throws(HTTP2Error) {
    guard var gathered = block else { throw fail(.protocolError, "CONTINUATION without HEADERS") }
    gathered.bytes += Array(payload)
    gathered.frames += 1
    guard gathered.bytes.count <= HTTP2.Limits.headerBlockBytes, gathered.frames <= HTTP2.Limits.headerBlockFrames
    else { throw fail(.enhanceYourCalm, "a header block without end") }
    guard header.has(FrameHeader.Flag.endHeaders) else {
      block = gathered
      return
    }
    block = nil
    let bytes = gathered.bytes
    try receiveBlock(bytes.span, on: gathered.streamID, endsStream: gathered.endsStream)
  }

  /// Decodes a complete header block, even for a finished request, because every block updates the HPACK table.
  private mutating func receiveBlock(_ block: Span<UInt8>, on id: Int32, endsStream: Bool) throws(HTTP2Error) {
    var status = 0
    var fields: [HeaderField] = []
    let slot = table[id]
    let keepsFields = keepsAllFields
    let outcome = unsafe decoder.decode(block) { name, value in
      if unsafe name.first == UInt8(ascii: ":") {
        // The only response pseudo-header is `:status`, three digits (RFC 9113 §8.3.2).
        let isStatus = unsafe name.count == 7 && value.count == 3 && value.allSatisfy { (48...57).contains($0) }
        status = unsafe isStatus ? value.reduce(0) { $0 * 10 + Int($1) - 48 } : -1
      } else if slot != nil, status != 200 || keepsFields {
        // Limit the combining marks: callers compare these strings, and normalizing long runs of marks is slow.
        unsafe fields.append(
          HeaderField(
            String(decoding: name, as: UTF8.self).streamSafe, String(decoding: value, as: UTF8.self).streamSafe))
      }
    }
    switch outcome {
    case .whole: break
    case .malformed: throw fail(.compressionError, "a header block that cannot be read")
    case .tooLong: throw fail(.enhanceYourCalm, "a header list beyond \(HTTP2.Limits.headerListBytes) bytes")
    }
    guard let slot else { return try countIdle() }
    let isTrailer = status == 0 && exchanges[slot].status >= 200
    let isInformational = (100..<200).contains(status)
    // Trailers must end the stream; a 1xx response must not.
    guard status >= 100 || isTrailer && endsStream, !(isInformational && endsStream), status < 600,
      isTrailer || exchanges[slot].status < 200
    else { return reset(id, .protocolError) }
    if isInformational {
      try countIdle()
      exchanges[slot].announcements += 1
      guard exchanges[slot].announcements <= HTTP2.Limits.announcements else { return reset(id, .enhanceYourCalm) }
    }
    if isTrailer {
      exchanges[slot].fields += fields
    } else {
      exchanges[slot].status = status
      // Fields of a 1xx response do not carry over to the final one.
      exchanges[slot].fields = isInformational ? [] : fields
    }
    if endsStream { finish(slot) }
  }

  private mutating func receiveData(_ header: FrameHeader, _ payload: Span<UInt8>) throws(HTTP2Error) {
    try requireKnownStream(header)
    guard let range = unpadded(header, payload.count, first: payload.isEmpty ? 0 : payload[0]) else {
      throw fail(.protocolError, "padding longer than its frame")
    }
    unacknowledgedBytes += payload.count
    guard unacknowledgedBytes <= HTTP2.Limits.initialWindowBytes else {
      throw fail(.flowControlError, "more data than our window")
    }
    if unacknowledgedBytes > HTTP2.Limits.initialWindowBytes / 2 {
      appendWindowUpdate(unacknowledgedBytes, streamID: 0)
      unacknowledgedBytes = 0
    }
    let isLast = header.has(FrameHeader.Flag.endStream)
    guard let slot = table[header.streamID] else { return try countIdle() }
    guard exchanges[slot].status >= 200 else { return reset(header.streamID, .protocolError) }
    if range.isEmpty, !isLast { try countIdle() }
    let room = max(0, configuration.storedBodyBytes - exchanges[slot].body.count)
    exchanges[slot].body += Array(payload.extracting(range.prefix(room)))
    guard range.count <= room else { return reset(header.streamID, .enhanceYourCalm) }
    if isLast { return finish(slot) }
    exchanges[slot].unacknowledgedBytes += payload.count
    guard exchanges[slot].unacknowledgedBytes <= HTTP2.Limits.initialWindowBytes else {
      return reset(header.streamID, .flowControlError)
    }
    if exchanges[slot].unacknowledgedBytes > HTTP2.Limits.initialWindowBytes / 2 {
      appendWindowUpdate(exchanges[slot].unacknowledgedBytes, streamID: header.streamID)
      exchanges[slot].unacknowledgedBytes = 0
    }
  }

  /// Ends a request whose response is complete.
  private mutating func finish(_ slot: Int) {
    idleFrames = 0
    // The server has responded before receiving the whole request body: cancel sending the rest.
    if !exchanges[slot].unsent.isEmpty { appendReset(exchanges[slot].streamID, .cancel) }
    close(slot, .noError)
  }

  private mutating func receiveReset(_ header: FrameHeader, _ payload: Span<UInt8>) throws(HTTP2Error) {
    guard payload.count == 4 else { throw fail(.frameSizeError, "RST_STREAM of \(payload.count) bytes") }
    try requireKnownStream(header)
    // APNs sometimes sends a second RST_STREAM for the same stream. Ignore it, but count it.
    guard let slot = table[header.streamID] else { return try countIdle() }
    close(slot, ErrorCode(rawValue: payload.uint32(at: 0)))
  }

  /// Ends the connection if we never opened the frame's stream, which is a protocol violation.
  private mutating func requireKnownStream(_ header: FrameHeader) throws(HTTP2Error) {
    let isKnown = header.streamID % 2 == 1 && (header.streamID < nextStreamID || hasUsedLastID)
    if !isKnown { throw fail(.protocolError, "a frame for stream \(header.streamID), which is not open") }
  }

  // MARK: The connection

  private mutating func receiveSettings(_ header: FrameHeader, _ payload: Span<UInt8>) throws(HTTP2Error) {
    guard header.streamID == 0 else { throw fail(.protocolError, "SETTINGS on a stream") }
    let isAcknowledgement = header.has(FrameHeader.Flag.acknowledgement)
    guard payload.count % 6 == 0, !isAcknowledgement || payload.isEmpty,
      payload.count / 6 <= HTTP2.Limits.settingsPerFrame
    else { throw fail(.frameSizeError, "SETTINGS of \(payload.count) bytes") }
    try countIdle()
    if isAcknowledgement { return }
    if !hasSettings {
      hasSettings = true
      streamLimit = .max
    }
    var settings: [Setting] = []
    for offset in stride(from: 0, to: payload.count, by: 6) {
      let setting = Setting(identifier: payload.uint16(at: offset), value: payload.uint32(at: offset + 2))
      settings.append(setting)
      try apply(setting)
    }
    try countAcknowledgement()
    FrameHeader(length: 0, type: FrameHeader.Kind.settings, flags: FrameHeader.Flag.acknowledgement)
      .append(to: &output)
    sendWaiting()
    events.append(.settings(settings))
  }

  private mutating func apply(_ setting: Setting) throws(HTTP2Error) {
    let value = Int(setting.value)
    switch setting.identifier {
    case Setting.headerTableSize(0).identifier: encoder.limitTable(value)
    case Setting.maxConcurrentStreams(0).identifier: streamLimit = value
    case Setting.enablePush(0).identifier where value != 0:
      throw fail(.protocolError, "a server that enables push")
    case Setting.maxFrameSize(0).identifier:
      guard (HTTP2.Limits.smallestFrameBytes...0xFF_FFFF).contains(value) else {
        throw fail(.protocolError, "frames of \(value) bytes")
      }
      maxFrameBytes = value
    case Setting.initialWindowSize(0).identifier:
      guard value <= HTTP2.Limits.largestWindowBytes else { throw fail(.flowControlError, "windows of \(value) bytes") }
      // Windows of open streams change by the difference and may become negative (RFC 9113 §6.9.2).
      for slot in exchanges.indices where value != streamWindow && table[exchanges[slot].streamID] == slot {
        exchanges[slot].sendWindow += value - streamWindow
        if exchanges[slot].sendWindow > HTTP2.Limits.largestWindowBytes {
          throw fail(.flowControlError, "a window beyond its limit")
        }
      }
      streamWindow = value
    default: break
    }
  }

  private mutating func receivePing(_ header: FrameHeader, _ payload: Span<UInt8>) throws(HTTP2Error) {
    guard payload.count == 8, header.streamID == 0 else { throw fail(.frameSizeError, "a PING that is none") }
    try countIdle()
    let value = UInt64(payload.uint32(at: 0)) << 32 | UInt64(payload.uint32(at: 4))
    if header.has(FrameHeader.Flag.acknowledgement) {
      events.append(.pong(value))
    } else {
      try countAcknowledgement()
      appendPing(value, flags: FrameHeader.Flag.acknowledgement)
    }
  }

  private mutating func countAcknowledgement() throws(HTTP2Error) {
    waitingAcknowledgements += 1
    if waitingAcknowledgements > HTTP2.Limits.waitingAcknowledgements {
      throw fail(.enhanceYourCalm, "too many SETTINGS and PINGs at once")
    }
  }

  private mutating func receiveGoAway(_ header: FrameHeader, _ payload: Span<UInt8>) throws(HTTP2Error) {
    guard payload.count >= 8, header.streamID == 0 else { throw fail(.frameSizeError, "a GOAWAY that is none") }
    goAways += 1
    guard goAways <= HTTP2.Limits.goAways else { throw fail(.enhanceYourCalm, "GOAWAY again and again") }
    let lastID = Int32(bitPattern: payload.uint32(at: 0) & 0x7FFF_FFFF)
    // The last stream id may only decrease; a higher one does not revive streams already refused.
    lastGoAwayID = min(lastID, lastGoAwayID ?? lastID)
    events.append(
      .goAway(
        GoAway(
          lastStreamID: lastID, errorCode: ErrorCode(rawValue: payload.uint32(at: 4)),
          debugData: Array(payload.extracting(8..<payload.count)))))
    for slot in exchanges.indices {
      let id = exchanges[slot].streamID
      if id > lastID, table[id] == slot { close(slot, .refusedStream) }
    }
  }

  private mutating func receiveWindowUpdate(_ header: FrameHeader, _ payload: Span<UInt8>) throws(HTTP2Error) {
    guard payload.count == 4 else { throw fail(.frameSizeError, "WINDOW_UPDATE of \(payload.count) bytes") }
    try countIdle()
    let bytes = Int(payload.uint32(at: 0) & 0x7FFF_FFFF)
    if header.streamID == 0 {
      guard bytes > 0 else { throw fail(.protocolError, "a WINDOW_UPDATE of nothing") }
      let wasShut = sendWindow <= 0
      sendWindow += bytes
      guard sendWindow <= HTTP2.Limits.largestWindowBytes else {
        throw fail(.flowControlError, "a window beyond its limit")
      }
      // If the connection window was open before, the waiting streams are blocked by their own windows and need no
      // retry.
      if wasShut { sendWaiting() }
    } else {
      try requireKnownStream(header)
      guard let slot = table[header.streamID] else { return }
      guard bytes > 0 else { return reset(header.streamID, .protocolError) }
      exchanges[slot].sendWindow += bytes
      guard exchanges[slot].sendWindow <= HTTP2.Limits.largestWindowBytes else {
        return reset(header.streamID, .flowControlError)
      }
      sendWaiting(slot)
    }
  }
}

extension [UInt8] {
  /// Creates an array with the elements of a span.
  init(_ span: Span<UInt8>) {
    self = unsafe span.withUnsafeBufferPointer { bytes in unsafe Array(bytes) }
  }
}
