package import Reactor

/// The client half of an HTTP/2 connection, without I/O: the owner passes in requests and received bytes, and takes out
/// events and bytes to send. Confined to one thread.
package final class ClientSession {
  package struct Configuration {
    /// True to keep the header fields of 200 responses too.
    package var keepsAllFields = false
    /// Maximum response body, in bytes; a longer one resets its stream with ENHANCE_YOUR_CALM.
    package var storedBodyBytes = HTTP2.Limits.storedBodyBytes

    package init() {}
  }

  package enum Event {
    /// The peer's SETTINGS have arrived and are applied: check `capacity`.
    case settings([Setting])
    /// A request has ended. Emitted exactly once per submitted request, unless the session fails first.
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

  /// True if frames are queued. Bodies blocked by flow control do not count.
  package var wantsWrite: Bool { !connection.output.isEmpty }

  /// True if neither side has anything left to send (after GOAWAY or a protocol error): close the connection once the
  /// output is written. After an error, open requests get no further event.
  package var isFinished: Bool {
    guard connection.output.isEmpty else { return false }
    if connection.isBroken { return true }
    return connection.openStreams == 0 && (connection.lastGoAwayID != nil || connection.hasSentGoAway)
  }

  // MARK: Capacity

  /// The number of requests submitted and not yet ended.
  package var openStreams: Int { connection.openStreams }

  /// The number of requests that can be submitted now; 0 after GOAWAY.
  package var capacity: Int {
    acceptsRequests ? max(0, peerStreamLimit - openStreams) : 0
  }

  /// True to keep the header fields of 200 responses too; may be changed at any time.
  package var keepsAllFields: Bool {
    get { connection.keepsAllFields }
    set { connection.keepsAllFields = newValue }
  }

  /// The peer's current limit of concurrent streams; 1 before its first SETTINGS.
  package var peerStreamLimit: Int { connection.streamLimit }

  /// The remaining connection window in bytes, minus request bodies that already wait for it. May be negative. Requests
  /// can be submitted all the same: their headers are sent and their bodies wait.
  package var windowBytes: Int { connection.sendWindow - connection.unsentBytes }

  /// False after GOAWAY and once stream ids have run out: then open a new connection.
  package var acceptsRequests: Bool { connection.acceptsRequests }

  /// The id of the next request.
  package var nextStreamID: Int32 { connection.nextStreamID }

  /// Skips the ids below `id`, so that tests can reach the end of the id range quickly.
  /// - Parameter id: odd, and not below `nextStreamID`.
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

  /// Submits a request without a template. `fields` must contain the pseudo-header fields.
  @discardableResult
  package func submit(fields: [HeaderField], body: [UInt8] = [], tag: UInt64) throws(HTTP2Error) -> Int32 {
    let template = RequestTemplate(fields: fields.filter { $0.name != ":path" }.map { ($0, .always) })
    let path = Array((fields.first { $0.name == ":path" }?.value ?? "/").utf8)
    return try submit(template, path: path.span, varying: Span(), body: body.span, tag: tag)
  }

  /// Cancels a request with RST_STREAM; its `.closed` event follows with this code. No effect if it has already ended.
  package func reset(_ streamID: Int32, _ code: ErrorCode) {
    connection.reset(streamID, code)
  }

  /// Resets the count of frames that advance no request; call it once a second. Otherwise only responses reset it.
  package func secondPassed() {
    connection.idleFrames = 0
  }

  /// Sends a PING. Its acknowledgement arrives as a `.pong` event with the same payload.
  package func ping(_ payload: UInt64) {
    connection.appendPing(payload)
  }

  /// Sends GOAWAY: no further requests can be submitted, and open ones finish; then `isFinished` becomes true.
  package func goAway(_ code: ErrorCode = .noError) {
    connection.goAway(code)
  }
}
