package import Reactor

/// The client's half of an HTTP/2 connection. No I/O: requests and bytes in, events and bytes out. One thread.
package final class ClientSession {
  package struct Configuration {
    /// Keep the header fields of 200 answers too.
    package var keepsAllFields = false
    /// Longest answer body, in bytes; one that is longer ends its stream with ENHANCE_YOUR_CALM.
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

  private var connection: ClientConnection

  package init(configuration: Configuration = Configuration()) throws(HTTP2Error) {
    connection = try ClientConnection(configuration: configuration)
  }

  // MARK: Bytes and events

  /// Takes and consumes all of `bytes`; the beginning of a frame is kept until its rest comes.
  /// - Throws: when the peer has violated the protocol: send what `writeOutput` gives (a GOAWAY) and close.
  package func receive(_ bytes: inout ByteBuffer) throws(HTTP2Error) {
    try connection.receive(&bytes)
  }

  package func nextEvent() -> Event? {
    connection.events.pop()
  }

  /// Moves the frames that wait to the end of `buffer`. No copy when it is empty.
  package func writeOutput(into buffer: inout ByteBuffer) {
    connection.waitingAcknowledgements = 0
    if buffer.isEmpty {
      swap(&buffer, &connection.output)
    } else {
      connection.output.withReadable { buffer.append($0) }
      connection.output.removeAll()
    }
  }

  /// Frames wait to be written. What waits for a window does not count.
  package var wantsWrite: Bool { !connection.output.isEmpty }

  /// Neither side has anything left to say (after GOAWAY, or after an error of the protocol): close when the output is
  /// written. After an error, requests still open get no event any more.
  package var isFinished: Bool {
    guard connection.output.isEmpty else { return false }
    if connection.isBroken { return true }
    return connection.openStreams == 0 && (connection.lastGoAwayID != nil || connection.hasSentGoAway)
  }

  // MARK: What may be submitted

  /// Requests submitted and not over.
  package var openStreams: Int { connection.openStreams }

  /// Requests that may be submitted now; 0 after GOAWAY.
  package var capacity: Int {
    acceptsRequests ? max(0, peerStreamLimit - openStreams) : 0
  }

  /// Keep the header fields of 200 answers too; may change at any time.
  package var keepsAllFields: Bool {
    get { connection.keepsAllFields }
    set { connection.keepsAllFields = newValue }
  }

  /// The peer's present limit of open streams; 1 before its first SETTINGS.
  package var peerStreamLimit: Int { connection.streamLimit }

  /// Bytes of bodies that the connection's window still takes at once, less those that wait to be sent already.
  /// May be negative. More can be submitted; their headers go out and their bodies wait.
  package var windowBytes: Int { connection.sendWindow - connection.unsentBytes }

  /// False after GOAWAY, and when stream ids have run out: make a new connection.
  package var acceptsRequests: Bool { connection.acceptsRequests }

  /// The id the next request gets.
  package var nextStreamID: Int32 { connection.nextStreamID }

  /// Leaves out ids below `id`, to bring the end of their range near: for drills.
  /// - Parameter id: odd, not below `nextStreamID`.
  package func skip(toStreamID id: Int32) {
    precondition(id % 2 == 1 && id >= nextStreamID, "stream ids of a client are odd and only rise")
    connection.nextStreamID = id
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
    try connection.submit(template, path: path, varying: varying, body: body, tag: tag)
  }

  /// Submits a single request. `fields` must contain the pseudo fields.
  @discardableResult
  package func submit(fields: [HeaderField], body: [UInt8] = [], tag: UInt64) throws(HTTP2Error) -> Int32 {
    let template = RequestTemplate(fields: fields.filter { $0.name != ":path" }.map { ($0, .always) })
    let path = Array((fields.first { $0.name == ":path" }?.value ?? "/").utf8)
    return try submit(template, path: path.span, varying: Span(), body: body.span, tag: tag)
  }

  /// Gives a request up with RST_STREAM; its `.closed` follows with this code. Nothing happens when it is over.
  package func reset(_ streamID: Int32, _ code: ErrorCode) {
    connection.reset(streamID, code)
  }

  /// Says that a second has passed: frames that bring no answer nearer are counted anew. Without it they are counted from
  /// answer to answer.
  package func secondPassed() {
    connection.idleFrames = 0
  }

  /// The acknowledgement comes as `.pong` with the same payload.
  package func ping(_ payload: UInt64) {
    connection.appendPing(payload)
  }

  /// Says that we open no further stream. Open ones finish; then `isFinished`.
  package func goAway(_ code: ErrorCode = .noError) {
    connection.goAway(code)
  }
}
