package import Reactor

/// The client half of an HTTP/2 connection. No I/O: requests and bytes in, events and bytes out. Confined to one
/// thread.
package final class ClientSession {
  package struct Configuration {
    /// Keep the header fields of 200 responses too.
    package var keepsAllFields = false
    /// Maximum response body, in bytes; a longer one resets its stream with ENHANCE_YOUR_CALM.
    package var storedBodyBytes = HTTP2.Limits.storedBodyBytes

    package init() {}
  }

  package enum Event {
    /// The peer's SETTINGS, already applied: check `capacity`.
    case settings([Setting])
    /// A request has ended; exactly one for each submitted request, unless the session fails first.
    case closed(StreamEnd)
    case goAway(GoAway)
    /// A PING acknowledgement, with the payload of its PING.
    case pong(UInt64)
  }

  private var connection: ClientConnection

  package init(configuration: Configuration = Configuration()) throws(HTTP2Error) {
    connection = try ClientConnection(configuration: configuration)
  }

  // MARK: Bytes and events

  /// Consumes all of `bytes`; an incomplete frame is kept until the rest arrives.
  /// - Throws: if the peer violated the protocol. Send what `writeOutput` returns (a GOAWAY), then close.
  package func receive(_ bytes: inout ByteBuffer) throws(HTTP2Error) {
    try connection.receive(&bytes)
  }

  package func nextEvent() -> Event? {
    connection.events.pop()
  }

  /// Appends all queued frames to `buffer`, without copying if it is empty.
  package func writeOutput(into buffer: inout ByteBuffer) {
    connection.waitingAcknowledgements = 0
    if buffer.isEmpty {
      swap(&buffer, &connection.output)
    } else {
      connection.output.withReadable { buffer.append($0) }
      connection.output.removeAll()
    }
  }

  /// Whether frames are queued. Bodies blocked by flow control do not count.
  package var wantsWrite: Bool { !connection.output.isEmpty }

  /// Neither side has anything left to send (after GOAWAY or a protocol error): close once the output is written. After
  /// an error, open requests get no further event.
  package var isFinished: Bool {
    guard connection.output.isEmpty else { return false }
    if connection.isBroken { return true }
    return connection.openStreams == 0 && (connection.lastGoAwayID != nil || connection.hasSentGoAway)
  }

  // MARK: What may be submitted

  /// Requests submitted and not yet ended.
  package var openStreams: Int { connection.openStreams }

  /// Number of requests that can be submitted now; 0 after GOAWAY.
  package var capacity: Int {
    acceptsRequests ? max(0, peerStreamLimit - openStreams) : 0
  }

  /// Keep the header fields of 200 responses too; may change at any time.
  package var keepsAllFields: Bool {
    get { connection.keepsAllFields }
    set { connection.keepsAllFields = newValue }
  }

  /// The peer's current limit of concurrent streams; 1 before its first SETTINGS.
  package var peerStreamLimit: Int { connection.streamLimit }

  /// Body bytes that the connection window still allows, less those already queued. May be negative. More can be
  /// submitted: the headers are sent and the bodies wait.
  package var windowBytes: Int { connection.sendWindow - connection.unsentBytes }

  /// False after GOAWAY, and once stream ids have run out: open a new connection.
  package var acceptsRequests: Bool { connection.acceptsRequests }

  /// The id of the next request.
  package var nextStreamID: Int32 { connection.nextStreamID }

  /// Skips the ids below `id`, to bring the end of the id range near in drills.
  /// - Parameter id: odd, not below `nextStreamID`.
  package func skip(toStreamID id: Int32) {
    precondition(id % 2 == 1 && id >= nextStreamID, "stream ids of a client are odd and only rise")
    connection.nextStreamID = id
  }

  // MARK: Requests

  /// Submits a request whose constant fields come from `template`. Copies path, varying value and body.
  /// - Parameter tag: returned in `StreamEnd`.
  /// - Returns: the stream id.
  /// - Throws: if there is no capacity or the session is ending; the request was not taken.
  @discardableResult
  package func submit(
    _ template: RequestTemplate, path: Span<UInt8>, varying: Span<UInt8>, body: Span<UInt8>, tag: UInt64
  ) throws(HTTP2Error) -> Int32 {
    try connection.submit(template, path: path, varying: varying, body: body, tag: tag)
  }

  /// Submits a single request. `fields` must contain the pseudo fields.
  @discardableResult
  package func submit(fields: [HeaderField], body: [UInt8] = [], tag: UInt64) throws(HTTP2Error) -> Int32 {
    let template = RequestTemplate(fields: fields.filter { $0.name != ":path" }.map { ($0, .always) })
    let path = Array((fields.first { $0.name == ":path" }?.value ?? "/").utf8)
    return try submit(template, path: path.span, varying: Span(), body: body.span, tag: tag)
  }

  /// Cancels a request with RST_STREAM; its `.closed` follows with this code. No effect if it has already ended.
  package func reset(_ streamID: Int32, _ code: ErrorCode) {
    connection.reset(streamID, code)
  }

  /// Call once a second: restarts the count of frames that make no progress. Without it, the count restarts only with
  /// each response.
  package func secondPassed() {
    connection.idleFrames = 0
  }

  /// The acknowledgement comes as `.pong` with the same payload.
  package func ping(_ payload: UInt64) {
    connection.appendPing(payload)
  }

  /// Announces that we open no further streams. Open ones finish; then `isFinished` is true.
  package func goAway(_ code: ErrorCode = .noError) {
    connection.goAway(code)
  }
}
