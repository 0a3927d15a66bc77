internal import CNGHTTP2
package import Reactor

/// The server half of an HTTP/2 connection, without I/O: the owner passes in received bytes, and takes out events and
/// bytes to send. Confined to one thread.
///
/// It can also misbehave on purpose (withhold windows, inject bytes, respond late or never), because the simulator uses
/// it to imitate a failing APNs.
@safe
package final class ServerSession {
  package struct Configuration {
    /// True if nghttp2 enforces the stream limit itself (GOAWAY with error 1, or REFUSED_STREAM before the client has
    /// acknowledged it). If false, the limit is only advertised; the owner watches `openStreams` and decides.
    package var enforcesStreamLimit = true
    /// If false, no WINDOW_UPDATE is sent until `releaseWindow` is called.
    package var updatesWindows = true
    /// The connection's receive window in bytes.
    package var connectionWindow = HTTP2.Limits.initialWindowBytes
    /// The number of RST_STREAM frames that a client may send at once, and then per second; more end in GOAWAY
    /// (nghttp2's own defence against rapid resets, with its default numbers).
    package var resetRateLimit: (burst: UInt64, perSecond: UInt64) = (1_000, 33)
    /// Maximum request body kept, in bytes; what exceeds it is counted (`bodyCount`) but not stored.
    package var storedBodyBytes = HTTP2.Limits.storedBodyBytes
    /// If false, the client's SETTINGS are never acknowledged.
    package var acknowledgesSettings = true
    /// If false, the client's PINGs are never acknowledged.
    package var acknowledgesPings = true

    package init() {}
  }

  package enum Event {
    /// The HEADERS of a request arrived; the body may follow. For owners that refuse requests early or count them.
    case opened(ServerStream)
    /// The request is complete (END_STREAM).
    case request(ServerStream)
    /// A stream has ended, for whatever reason. It is recycled when the next event is taken.
    case closed(ServerStream, ErrorCode)
    /// The client's SETTINGS have arrived.
    case settings([Setting])
    /// The client acknowledged one of our SETTINGS frames; acknowledgements come in order.
    case settingsAcknowledged
    case goAway(GoAway)
    /// A PING acknowledgement, with the payload of its PING.
    case pong(UInt64)
  }

  private let configuration: Configuration
  private let engine: Engine
  private var events = EventQueue<Event>()
  /// Every stream ever created, kept alive because nghttp2 points at them.
  private var streams: [ServerStream] = []
  private var freeStreams: [ServerStream] = []
  /// A closed stream whose event was taken; recycled at the next call.
  private var retiring: ServerStream?
  /// The output that must be sent before what nghttp2 still holds.
  private var drained = ByteBuffer(capacity: 64)
  private var hasSettings = false
  /// The stream limits to write into the pending SETTINGS frames; nghttp2 itself must not know them, or it would
  /// enforce them.
  private var advertisedLimits: [UInt32?] = []
  private var withheldBytes = 0

  /// The number of streams that the client has opened and that are not closed yet.
  package private(set) var openStreams = 0
  /// The highest request stream id seen, which a correct GOAWAY reports as `lastStreamID`.
  package private(set) var lastStreamID: Int32 = 0
  /// The number of frames with priority information received: PRIORITY, and HEADERS with priority.
  package private(set) var priorityFrames = 0

  /// Creates a session, which sends nothing before the first `submitSettings`.
  package init(configuration: Configuration = Configuration()) throws(HTTP2Error) {
    self.configuration = configuration
    engine = try Self.makeEngine(configuration)
    // Safe: nghttp2 calls back only during calls that this object makes, so the pointer is never stale.
    unsafe nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
    if configuration.connectionWindow != HTTP2.Limits.initialWindowBytes {
      unsafe _ = nghttp2_session_set_local_window_size(
        session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, Int32(clamping: configuration.connectionWindow))
    }
  }

  private static func makeEngine(_ configuration: Configuration) throws(HTTP2Error) -> Engine {
    var options: OpaquePointer?
    guard unsafe nghttp2_option_new(&options) == 0 else { throw HTTP2Error(operation: "start", reason: "no memory") }
    defer { unsafe nghttp2_option_del(options) }
    unsafe nghttp2_option_set_no_closed_streams(options, 1)
    unsafe nghttp2_option_set_no_auto_window_update(options, configuration.updatesWindows ? 0 : 1)
    unsafe nghttp2_option_set_no_auto_ping_ack(options, configuration.acknowledgesPings ? 0 : 1)
    let rate = configuration.resetRateLimit
    unsafe nghttp2_option_set_stream_reset_rate_limit(options, rate.burst, rate.perSecond)
    var session: OpaquePointer?
    let code = unsafe nghttp2_session_server_new2(&session, ServerCallbacks.shared, nil, options)
    guard code == 0, let session = unsafe session else { throw HTTP2Error("start", code: Int(code)) }
    return unsafe Engine(takingOwnership: session)
  }

  private var session: OpaquePointer { unsafe engine.session }

  // MARK: Bytes and events

  /// Processes received bytes and removes all of them from the buffer.
  package func receive(_ bytes: inout ByteBuffer) throws(HTTP2Error) {
    recycle()
    try engine.receive(&bytes)
  }

  package func nextEvent() -> Event? {
    recycle()
    let event = events.pop()
    if case .closed(let stream, _) = event { retiring = stream }
    return event
  }

  private func recycle() {
    guard let stream = retiring else { return }
    stream.context = nil
    freeStreams.append(stream)
    retiring = nil
  }

  /// Appends frames until none is sendable or `buffer` holds `softLimit` bytes. Returns true if more are pending.
  @discardableResult
  package func writeOutput(
    into buffer: inout ByteBuffer, softLimit: Int = HTTP2.Limits.outputBytes
  ) throws(HTTP2Error) -> Bool {
    guard hasSettings else { return false }
    if !drained.isEmpty {
      drained.withReadable { buffer.append($0) }
      drained.removeAll()
    }
    while buffer.count < softLimit {
      guard try nextFrame(&buffer) else { return false }
    }
    return true
  }

  /// Appends the next frame, altered or dropped as the configuration says.
  private func nextFrame(_ buffer: inout ByteBuffer) throws(HTTP2Error) -> Bool {
    if configuration.acknowledgesSettings, configuration.enforcesStreamLimit {
      return try engine.nextFrame(appendingTo: &buffer)
    }
    var frame = ByteBuffer(capacity: 64)
    guard try engine.nextFrame(appendingTo: &frame) else { return false }
    // RFC 9113 §4.1: length (3), type, flags, stream. `mem_send` returns one whole frame at a time.
    let isSettings = frame.count >= HTTP2.Limits.frameHeaderBytes && frame[3] == UInt8(NGHTTP2_SETTINGS.rawValue)
    if isSettings {
      let isAcknowledgement = frame[4] & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
      if isAcknowledgement, !configuration.acknowledgesSettings { return true }
      if !isAcknowledgement, !advertisedLimits.isEmpty, let limit = advertisedLimits.removeFirst() {
        append(frame, with: .maxConcurrentStreams(limit), to: &buffer)
        return true
      }
    }
    frame.withReadable { buffer.append($0) }
    return true
  }

  /// Appends a SETTINGS frame with an additional entry.
  private func append(_ frame: borrowing ByteBuffer, with setting: Setting, to buffer: inout ByteBuffer) {
    let length = frame.count - HTTP2.Limits.frameHeaderBytes + 6
    buffer.append([UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)])
    frame.withReadable { bytes in buffer.append(bytes.extracting(3..<bytes.count)) }
    unsafe withUnsafeBytes(of: setting.identifier.bigEndian) { unsafe buffer.append($0) }
    unsafe withUnsafeBytes(of: setting.value.bigEndian) { unsafe buffer.append($0) }
  }

  /// True if frames can be sent now.
  package var wantsWrite: Bool { hasSettings && (!drained.isEmpty || engine.wantsWrite) }

  /// True if neither side has anything left to send: close the connection once the output is written.
  package var isFinished: Bool { drained.isEmpty && engine.isFinished }

  // MARK: The connection

  /// Sends SETTINGS. May be called at any time and repeatedly.
  package func submitSettings(_ settings: [Setting]) throws(HTTP2Error) {
    hasSettings = true
    guard !configuration.enforcesStreamLimit else { return try engine.submit(settings) }
    let limitID = Setting.maxConcurrentStreams(0).identifier
    advertisedLimits.append(settings.last { $0.identifier == limitID }?.value)
    try engine.submit(settings.filter { $0.identifier != limitID })
  }

  /// Sends GOAWAY with any `lastStreamID` (odd or 0, never increasing). Closes the streams above it on our side.
  package func goAway(lastStreamID: Int32, _ code: ErrorCode, debugData: [UInt8] = []) throws(HTTP2Error) {
    let result = unsafe nghttp2_submit_goaway(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), lastStreamID, code.rawValue, debugData, debugData.count)
    if result != 0 { throw HTTP2Error("submit GOAWAY", code: Int(result)) }
  }

  /// The first half of a graceful shutdown: GOAWAY with the highest id. Follow it with `goAway` after a round trip.
  package func announceShutdown() {
    unsafe _ = nghttp2_submit_shutdown_notice(session)
  }

  /// Sends a PING. Its acknowledgement arrives as a `.pong` event with the same payload.
  package func ping(_ payload: UInt64) {
    engine.ping(payload)
  }

  /// Appends raw bytes to the output, after all frames that can be sent now: for invalid frames that no library would
  /// send.
  package func inject(_ bytes: [UInt8]) throws(HTTP2Error) {
    var waiting = ByteBuffer(capacity: 64)
    drained.withReadable { waiting.append($0) }
    while try nextFrame(&waiting) {}
    waiting.append(bytes)
    drained = waiting
  }

  /// Sends the WINDOW_UPDATEs withheld so far (if `updatesWindows` is false).
  package func releaseWindow() {
    for stream in streams where stream.id > 0 && !stream.isClosed {
      unsafe _ = nghttp2_session_consume_stream(session, stream.id, stream.bodyCount)
    }
    unsafe _ = nghttp2_session_consume_connection(session, withheldBytes)
    withheldBytes = 0
  }

  // MARK: Answers

  /// Sends a response. Without a body, END_STREAM is set on the headers. Ignored if the stream has ended or has a
  /// response.
  /// - Parameters:
  ///   - chunkBytes: maximum body bytes in one DATA frame.
  ///   - ends: false leaves the stream open for ever.
  package func respond(
    to stream: ServerStream, status: Int, fields: [HeaderField] = [], body: [UInt8] = [], chunkBytes: Int? = nil,
    ends: Bool = true
  ) {
    guard !stream.isClosed, !stream.isAnswered else { return }
    stream.isAnswered = true
    stream.answer = body
    stream.answerOffset = 0
    stream.answerChunkBytes = chunkBytes ?? .max
    stream.answerEnds = ends
    let pointer = unsafe Unmanaged.passUnretained(stream).toOpaque()
    var provider = unsafe upmc_data_provider(pointer, ServerCallbacks.readAnswer)
    let hasData = !body.isEmpty || !ends
    unsafe withFields([HeaderField(":status", String(status))] + fields) { prepared in
      unsafe withUnsafePointer(to: &provider) { provider in
        // Fails only if memory is exhausted or the stream has ended; in neither case is there anything to do.
        unsafe _ = nghttp2_submit_response(
          session, stream.id, prepared.baseAddress, prepared.count, hasData ? provider : nil)
      }
    }
  }

  /// Sends a response without a body, with one field besides the status. Does not allocate, because it is on the hot
  /// path.
  package func respond(to stream: ServerStream, status: Int, name: StaticString, value: Span<UInt8>) {
    guard !stream.isClosed, !stream.isAnswered else { return }
    stream.isAnswered = true
    let digits: InlineArray<3, UInt8> = [
      48 + UInt8(status / 100 % 10), 48 + UInt8(status / 10 % 10), 48 + UInt8(status % 10),
    ]
    // Safe: nghttp2 copies the values during the call; the names are static.
    unsafe digits.span.withUnsafeBufferPointer { status in
      unsafe value.withUnsafeBufferPointer { value in
        let keepName = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
        let unindexed = keepName | UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
        let statusName: StaticString = ":status"
        let fields: InlineArray<2, nghttp2_nv> = unsafe [
          nghttp2_nv(
            name: UnsafeMutablePointer(mutating: statusName.utf8Start),
            value: UnsafeMutablePointer(mutating: status.baseAddress), namelen: 7, valuelen: 3, flags: keepName),
          nghttp2_nv(
            name: UnsafeMutablePointer(mutating: name.utf8Start),
            value: UnsafeMutablePointer(mutating: value.baseAddress), namelen: name.utf8CodeUnitCount,
            valuelen: value.count, flags: unindexed),
        ]
        unsafe fields.span.withUnsafeBufferPointer { fields in
          unsafe _ = nghttp2_submit_response(session, stream.id, fields.baseAddress, fields.count, nil)
        }
      }
    }
  }

  /// Sends a 1xx response before the final one.
  package func inform(_ stream: ServerStream, status: Int, fields: [HeaderField] = []) {
    guard !stream.isClosed, !stream.isAnswered else { return }
    unsafe withFields([HeaderField(":status", String(status))] + fields) { prepared in
      unsafe _ = nghttp2_submit_headers(
        session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, nil, prepared.baseAddress, prepared.count, nil)
    }
  }

  /// Sends RST_STREAM. Cancels a response that has not been sent yet.
  package func reset(_ stream: ServerStream, _ code: ErrorCode) {
    guard !stream.isClosed else { return }
    unsafe _ = nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, code.rawValue)
  }

  /// Calls `body` with the fields in nghttp2's representation, valid during the call; nghttp2 copies what it keeps.
  private func withFields(_ fields: [HeaderField], _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Void) {
    var bytes: [UInt8] = []
    for field in fields {
      bytes += field.name.utf8
      bytes += field.value.utf8
    }
    unsafe bytes.withUnsafeMutableBufferPointer { raw in
      var offset = 0
      let start = raw.baseAddress!
      let prepared = unsafe fields.map { field in
        let name = unsafe start + offset
        let nameCount = field.name.utf8.count
        let valueCount = field.value.utf8.count
        offset += nameCount + valueCount
        let flag = field.isNeverIndexed ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE
        return unsafe nghttp2_nv(
          name: name, value: name + nameCount, namelen: nameCount, valuelen: valueCount, flags: UInt8(flag.rawValue))
      }
      unsafe prepared.withUnsafeBufferPointer { unsafe body($0) }
    }
  }

  // MARK: Events from nghttp2

  func opened(_ id: Int32) -> ServerStream {
    let stream: ServerStream
    if let free = freeStreams.popLast() {
      stream = free
    } else {
      stream = ServerStream()
      streams.append(stream)
    }
    stream.begin(id: id)
    openStreams += 1
    lastStreamID = max(lastStreamID, id)
    return stream
  }

  func received(_ frame: UnsafePointer<nghttp2_frame>, stream: ServerStream?) {
    let flags = unsafe upmc_frame_flags(frame)
    let isAcknowledgement = flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
    switch unsafe UInt32(upmc_frame_type(frame)) {
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
      if flags & UInt8(NGHTTP2_FLAG_PRIORITY.rawValue) != 0 { priorityFrames += 1 }
      guard let stream else { return }
      if unsafe upmc_frame_opens_request(frame) != 0 { events.append(.opened(stream)) }
      guard flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 else { return }
      stream.isComplete = true
      events.append(.request(stream))
    case NGHTTP2_PRIORITY.rawValue:
      priorityFrames += 1
    case NGHTTP2_SETTINGS.rawValue:
      events.append(isAcknowledgement ? .settingsAcknowledged : .settings(unsafe Frame.settings(frame)))
    case NGHTTP2_GOAWAY.rawValue:
      events.append(.goAway(unsafe Frame.goAway(frame)))
    case NGHTTP2_PING.rawValue where isAcknowledgement:
      events.append(.pong(unsafe Frame.pingPayload(frame)))
    default: break
    }
  }

  func receivedBody(_ stream: ServerStream, _ bytes: UnsafeBufferPointer<UInt8>) {
    if !configuration.updatesWindows { withheldBytes += bytes.count }
    unsafe stream.addBody(bytes, storing: configuration.storedBodyBytes)
  }

  func closed(_ stream: ServerStream, _ code: ErrorCode) {
    stream.isClosed = true
    openStreams -= 1
    events.append(.closed(stream, code))
  }
}
