internal import CNGHTTP2
package import Reactor

/// The client's half of an HTTP/2 connection. No I/O: requests and bytes in, events and bytes out. One thread.
@safe
package final class ClientSession {
  package struct Configuration {
    /// Keep the header fields of 200 answers too.
    package var keepsAllFields = false
    /// Longest answer body kept, in bytes.
    package var storedBodyBytes = HTTP2.Limits.storedBodyBytes

    package init() {}
  }

  package enum Event {
    /// The peer's SETTINGS, already in force: look at `capacity`.
    case settings([Setting])
    /// A request is over; exactly one for each submitted, unless the session fails first.
    case closed(StreamEnd)
    case goAway(GoAway)
    /// A PING acknowledgement, with the payload of its PING.
    case pong(UInt64)
  }

  private let configuration: Configuration
  private let engine: Engine
  private var events = EventQueue<Event>()
  /// All exchanges ever made; nghttp2 points at them, so they live as long as the session.
  private var exchanges: [Exchange] = []
  private var freeExchanges: [Int] = []
  /// Sum of the bodies' bytes that still wait for frames.
  private var unsentBodyBytes = 0
  private var hasPeerSettings = false
  private var hasGoAway = false

  // The template of the last request, as header fields ready for nghttp2: only path and varying value change.
  private var lastTemplate: RequestTemplate?
  private var lastFields: [nghttp2_nv] = unsafe []
  private var knownNames: Set<[UInt8]> = []

  /// Requests submitted and not closed.
  package private(set) var openStreams = 0

  package init(configuration: Configuration = Configuration()) throws(HTTP2Error) {
    self.configuration = configuration
    engine = try Self.makeEngine()
    // Safe: nghttp2 calls back only from calls that this object makes itself, so the pointer is never stale.
    unsafe nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
    try engine.submit([.enablePush(0)])
  }

  private static func makeEngine() throws(HTTP2Error) -> Engine {
    var options: OpaquePointer?
    guard unsafe nghttp2_option_new(&options) == 0 else { throw HTTP2Error(operation: "start", reason: "no memory") }
    defer { unsafe nghttp2_option_del(options) }
    unsafe nghttp2_option_set_peer_max_concurrent_streams(options, UInt32(HTTP2.Limits.streamsBeforeSettings))
    // Closed streams are of no use: keeping them is for priority trees only.
    unsafe nghttp2_option_set_no_closed_streams(options, 1)
    var session: OpaquePointer?
    let code = unsafe nghttp2_session_client_new2(&session, ClientCallbacks.shared, nil, options)
    guard code == 0, let session = unsafe session else { throw HTTP2Error("start", code: Int(code)) }
    return unsafe Engine(takingOwnership: session)
  }

  private var session: OpaquePointer { unsafe engine.session }

  // MARK: Bytes and events

  /// Takes and consumes all of `bytes`.
  package func receive(_ bytes: inout ByteBuffer) throws(HTTP2Error) {
    try engine.receive(&bytes)
  }

  package func nextEvent() -> Event? {
    events.pop()
  }

  /// Appends frames until none may go, or until `buffer` holds `softLimit` bytes. True when more wait.
  @discardableResult
  package func writeOutput(
    into buffer: inout ByteBuffer, softLimit: Int = HTTP2.Limits.outputBytes
  ) throws(HTTP2Error) -> Bool {
    while buffer.count < softLimit {
      guard try engine.nextFrame(appendingTo: &buffer) else { return false }
    }
    return true
  }

  /// Frames wait that may go now.
  package var wantsWrite: Bool { engine.wantsWrite }

  /// Neither side has anything left to say (after GOAWAY, or after an error of the protocol): close when the output is
  /// written. Requests still open then get no event any more.
  package var isFinished: Bool { engine.isFinished }

  // MARK: What may be submitted

  /// Requests that may be submitted now; 0 after GOAWAY.
  package var capacity: Int {
    acceptsRequests ? max(0, peerStreamLimit - openStreams) : 0
  }

  /// The peer's present limit of open streams; 1 before its first SETTINGS.
  package var peerStreamLimit: Int {
    guard hasPeerSettings else { return HTTP2.Limits.streamsBeforeSettings }
    return unsafe Int(nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
  }

  /// Bytes of bodies that the connection's window still takes at once, less those that wait to be sent already.
  /// May be negative. More can be submitted; their headers go out and their bodies wait.
  package var windowBytes: Int {
    unsafe Int(nghttp2_session_get_remote_window_size(session)) - unsentBodyBytes
  }

  /// False after GOAWAY, and when stream ids have run out: make a new connection.
  package var acceptsRequests: Bool {
    unsafe !hasGoAway && nghttp2_session_check_request_allowed(session) != 0
  }

  /// The id the next request gets.
  package var nextStreamID: Int32 { unsafe Int32(clamping: nghttp2_session_get_next_stream_id(session)) }

  /// Leaves out ids below `id` (odd), to bring the end of their range near: for drills.
  package func skip(toStreamID id: Int32) throws(HTTP2Error) {
    let code = unsafe nghttp2_session_set_next_stream_id(session, id)
    if code != 0 { throw HTTP2Error("skip stream ids", code: Int(code)) }
  }

  // MARK: Requests

  /// Submits a request whose constant fields come from `template`. Copies path, varying value and body.
  /// - Parameter tag: comes back in `StreamEnd`.
  /// - Returns: the stream id.
  /// - Throws: when there is no capacity or the session is over: the request was not taken.
  @discardableResult
  package func submit(
    _ template: RequestTemplate, path: Span<UInt8>, varying: Span<UInt8>, body: Span<UInt8>, tag: UInt64
  ) throws(HTTP2Error) -> Int32 {
    try requireCapacity()
    let exchange = takeExchange()
    exchange.begin(path: path, varying: varying, body: body, tag: tag, template: template)
    prepareFields(of: template)
    // Safe: the exchange lives as long as the session and does not move its storage before the stream is closed.
    unsafe lastFields[template.pathIndex].value = exchange.pathPointer
    unsafe lastFields[template.pathIndex].valuelen = path.count
    if let index = template.varyingIndex {
      unsafe lastFields[index].value = exchange.varyingPointer
      unsafe lastFields[index].valuelen = varying.count
    }
    return try submit(exchange, hasBody: body.count > 0)
  }

  /// Submits a single request. `fields` must contain the pseudo fields.
  @discardableResult
  package func submit(fields: [HeaderField], body: [UInt8] = [], tag: UInt64) throws(HTTP2Error) -> Int32 {
    let template = RequestTemplate(fields: fields.filter { $0.name != ":path" }.map { ($0, .always) })
    let path = Array((fields.first { $0.name == ":path" }?.value ?? "/").utf8)
    return try submit(template, path: path.span, varying: Span(), body: body.span, tag: tag)
  }

  private func requireCapacity() throws(HTTP2Error) {
    guard acceptsRequests else {
      throw HTTP2Error(operation: "submit", reason: hasGoAway ? "the peer said GOAWAY" : "no stream ids left")
    }
    guard openStreams < peerStreamLimit else {
      throw HTTP2Error(operation: "submit", reason: "the peer's stream limit is reached")
    }
  }

  private func takeExchange() -> Exchange {
    if let index = freeExchanges.popLast() { return exchanges[index] }
    let exchange = Exchange(index: exchanges.count)
    exchanges.append(exchange)
    return exchange
  }

  /// Brings `lastFields` in line with `template`.
  private func prepareFields(of template: RequestTemplate) {
    // The second request of a template finds all its names in the table; after that nothing changes.
    if template === lastTemplate, !lastFieldsAreFirst { return }
    lastFieldsAreFirst = false
    unsafe lastFields = Array(template.prepared)
    for (index, entry) in template.entries.enumerated() where entry.indexing == .nameOnly {
      let isKnown = knownNames.contains(entry.name)
      if !isKnown {
        knownNames.insert(entry.name)
        lastFieldsAreFirst = true
      }
      unsafe lastFields[index].flags = RequestTemplate.flags(.nameOnly, nameIsKnown: isKnown)
    }
    lastTemplate = template
  }

  /// True while `lastFields` still put names into the table.
  private var lastFieldsAreFirst = false

  private func submit(_ exchange: Exchange, hasBody: Bool) throws(HTTP2Error) -> Int32 {
    let pointer = unsafe Unmanaged.passUnretained(exchange).toOpaque()
    var provider = unsafe upmc_data_provider(pointer, ClientCallbacks.readBody)
    let id = unsafe withUnsafePointer(to: &provider) { provider in
      unsafe nghttp2_submit_request(
        session, nil, lastFields, lastFields.count, hasBody ? provider : nil, pointer)
    }
    guard id > 0 else {
      freeExchanges.append(exchange.index)
      throw HTTP2Error("submit", code: Int(id))
    }
    exchange.streamID = id
    openStreams += 1
    unsentBodyBytes += exchange.unsentBodyBytes
    return id
  }

  /// Gives a request up with RST_STREAM; its `.closed` follows with this code. Nothing happens when it is over.
  package func reset(_ streamID: Int32, _ code: ErrorCode) {
    unsafe _ = nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), streamID, code.rawValue)
  }

  /// The acknowledgement comes as `.pong` with the same payload.
  package func ping(_ payload: UInt64) {
    engine.ping(payload)
  }

  /// Says that we open no further stream. Open ones finish; then `isFinished`.
  package func goAway(_ code: ErrorCode = .noError) {
    hasGoAway = true
    unsafe _ = nghttp2_submit_goaway(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, code.rawValue, nil, 0)
  }

  // MARK: What nghttp2 reports

  func received(_ frame: UnsafePointer<nghttp2_frame>) {
    let isAcknowledgement = unsafe upmc_frame_flags(frame) & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
    switch unsafe UInt32(upmc_frame_type(frame)) {
    case NGHTTP2_SETTINGS.rawValue where !isAcknowledgement:
      hasPeerSettings = true
      events.append(.settings(unsafe Frame.settings(frame)))
    case NGHTTP2_GOAWAY.rawValue:
      hasGoAway = true
      events.append(.goAway(unsafe Frame.goAway(frame)))
    case NGHTTP2_PING.rawValue where isAcknowledgement:
      events.append(.pong(unsafe Frame.pingPayload(frame)))
    default: break
    }
  }

  func receivedField(_ exchange: Exchange, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
    if unsafe name.first == UInt8(ascii: ":") {
      // The only pseudo field of an answer is `:status`, three digits (nghttp2 checks both).
      exchange.status = unsafe value.reduce(0) { $0 * 10 + Int($1) - 48 }
      if !exchange.fields.isEmpty { exchange.fields = [] }
    } else if exchange.status != 200 || configuration.keepsAllFields {
      unsafe exchange.fields.append(
        HeaderField(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
    }
  }

  func receivedBody(_ exchange: Exchange, _ bytes: UnsafeBufferPointer<UInt8>) {
    let room = configuration.storedBodyBytes - exchange.body.count
    unsafe exchange.body.append(contentsOf: bytes.prefix(max(0, room)))
  }

  func sentBody(_ count: Int) {
    unsentBodyBytes -= count
  }

  func closed(_ exchange: Exchange, _ code: ErrorCode) {
    unsentBodyBytes -= exchange.unsentBodyBytes
    openStreams -= 1
    events.append(.closed(exchange.end(code)))
    exchange.template = nil
    freeExchanges.append(exchange.index)
  }
}
