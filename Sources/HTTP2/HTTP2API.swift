// The shape of this module, with bodies to follow; this file disappears when they are there.
package import Reactor

package struct HeaderField: Sendable, Equatable {
  package var name: String
  package var value: String
  /// The peer (or we) asked that no intermediary ever indexes it.
  package var isNeverIndexed: Bool
  package init(_ name: String, _ value: String, isNeverIndexed: Bool = false) { fatalError() }
}

/// RFC 9113 §7. Unknown codes from a peer are kept as they are.
package struct ErrorCode: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  package static let noError = ErrorCode(rawValue: 0)
  package static let protocolError = ErrorCode(rawValue: 1)
  package static let internalError = ErrorCode(rawValue: 2)
  package static let flowControlError = ErrorCode(rawValue: 3)
  package static let settingsTimeout = ErrorCode(rawValue: 4)
  package static let streamClosed = ErrorCode(rawValue: 5)
  package static let frameSizeError = ErrorCode(rawValue: 6)
  package static let refusedStream = ErrorCode(rawValue: 7)
  package static let cancel = ErrorCode(rawValue: 8)
  package static let compressionError = ErrorCode(rawValue: 9)
  package static let connectError = ErrorCode(rawValue: 10)
  package static let enhanceYourCalm = ErrorCode(rawValue: 11)
  package static let inadequateSecurity = ErrorCode(rawValue: 12)
  package static let http11Required = ErrorCode(rawValue: 13)
}

/// One entry of a SETTINGS frame.
package struct Setting: Hashable, Sendable {
  package let identifier: UInt16
  package let value: UInt32
  package init(identifier: UInt16, value: UInt32) { fatalError() }
  package static func headerTableSize(_ value: UInt32) -> Setting { .init(identifier: 1, value: value) }
  package static func enablePush(_ value: UInt32) -> Setting { .init(identifier: 2, value: value) }
  package static func maxConcurrentStreams(_ value: UInt32) -> Setting { .init(identifier: 3, value: value) }
  package static func initialWindowSize(_ value: UInt32) -> Setting { .init(identifier: 4, value: value) }
  package static func maxFrameSize(_ value: UInt32) -> Setting { .init(identifier: 5, value: value) }
  package static func maxHeaderListSize(_ value: UInt32) -> Setting { .init(identifier: 6, value: value) }
}

/// The session cannot go on: drop the connection (after sending what `writeOutput` still gives).
package struct HTTP2Error: Error, CustomStringConvertible, Sendable {
  package let operation: String
  package let reason: String
  package var description: String { "\(operation): \(reason)" }
}

/// A GOAWAY that came in.
package struct GoAway: Sendable, Equatable {
  package let lastStreamID: Int32
  package let errorCode: ErrorCode
  package let debugData: [UInt8]
}

/// The server's half of an HTTP/2 connection. No I/O: bytes in, events and bytes out. Confined to one thread.
///
/// Turn: `receive` what arrived → `nextEvent` until nil (respond from there, now or later) → `writeOutput` → write.
package final class ServerSession {
  package struct Configuration {
    /// True: nghttp2 enforces the stream limit itself (GOAWAY 1, or REFUSED_STREAM before the client has acknowledged it).
    /// False: the limit is only advertised; the owner watches `openStreams` and acts as it likes.
    package var enforcesStreamLimit = true
    /// False: no WINDOW_UPDATE is ever sent until `releaseWindow` is called.
    package var updatesWindows = true
    /// The connection's receive window in bytes.
    package var connectionWindow = 65_535
    /// RST_STREAMs that a client may send at once, and then per second; more of them ends in GOAWAY. nil: no limit.
    package var resetRateLimit: (burst: UInt64, perSecond: UInt64)? = (1_000, 33)
    /// Longest request body kept, in bytes; what is beyond is counted (`bodyCount`) but not stored.
    package var storedBodyBytes = 65_536
    /// False: the client's SETTINGS are never acknowledged.
    package var acknowledgesSettings = true
    package init() {}
  }
  package enum Event {
    /// HEADERS came; the body may follow. Only worth looking at to refuse early or to count.
    case opened(ServerStream)
    /// The request is whole (END_STREAM).
    case request(ServerStream)
    /// A stream is over, by whatever cause. The `ServerStream` is recycled after this event.
    case closed(ServerStream, ErrorCode)
    /// The client's SETTINGS.
    case settings([Setting])
    /// The client acknowledged one of our SETTINGS frames, in order.
    case settingsAcknowledged
    case goAway(GoAway)
    /// A PING acknowledgement.
    case pong(UInt64)
  }
  /// Nothing goes out before the first `submitSettings`.
  package init(configuration: Configuration = Configuration()) throws(HTTP2Error) { fatalError() }

  /// Takes and consumes all of `bytes`.
  package func receive(_ bytes: inout ByteBuffer) throws(HTTP2Error) { fatalError() }
  package func nextEvent() -> Event? { fatalError() }
  /// Appends frames until none wait, or until `buffer` holds `softLimit` bytes. True when more waits.
  @discardableResult
  package func writeOutput(into buffer: inout ByteBuffer, softLimit: Int = 65_536) throws(HTTP2Error) -> Bool { fatalError() }
  /// Neither side has anything left to say: close when the output is written.
  package var isFinished: Bool { fatalError() }

  /// At any time, as often as wanted.
  package func submitSettings(_ settings: [Setting]) throws(HTTP2Error) { fatalError() }
  /// Answers. Without body, END_STREAM goes with the headers. `chunkBytes` splits the body into DATA frames of that size;
  /// `ends: false` leaves the stream open for ever. Ignored when the stream is gone.
  package func respond(
    to stream: ServerStream, status: Int, fields: [HeaderField] = [], body: [UInt8] = [], chunkBytes: Int? = nil, ends: Bool = true
  ) { fatalError() }
  /// The hot path: headers only, one field.
  package func respond(to stream: ServerStream, status: Int, name: StaticString, value: Span<UInt8>) { fatalError() }
  /// A 1xx answer before the real one.
  package func inform(_ stream: ServerStream, status: Int, fields: [HeaderField] = []) { fatalError() }
  package func reset(_ stream: ServerStream, _ code: ErrorCode) { fatalError() }
  /// Any `lastStreamID` (odd, or 0, never growing). Streams above it are closed with `refusedStream` on our side.
  package func goAway(lastStreamID: Int32, _ code: ErrorCode, debugData: [UInt8] = []) throws(HTTP2Error) { fatalError() }
  /// The graceful first half: GOAWAY 2^31-1; follow with `goAway` later.
  package func announceShutdown() { fatalError() }
  package func ping(_ payload: UInt64) { fatalError() }
  /// Appends bytes to the output between frames, after all that waits now: for frames no library would send.
  package func inject(_ bytes: [UInt8]) throws(HTTP2Error) { fatalError() }
  /// Gives back the window that was withheld so far (`updatesWindows == false`).
  package func releaseWindow() { fatalError() }

  /// Requests begun and not closed.
  package var openStreams: Int { fatalError() }
  /// The highest request stream seen: `lastStreamID` of an honest GOAWAY.
  package var lastStreamID: Int32 { fatalError() }
  /// PRIORITY frames and HEADERS with priority that came in.
  package var priorityFrames: Int { fatalError() }
}

/// One request on a server. Reused by its session after `.closed`: do not keep it longer.
package final class ServerStream {
  package var id: Int32 { fatalError() }
  /// Free for the owner, for example its own record of this request.
  package var context: AnyObject?
  /// True when END_STREAM was seen.
  package var isComplete: Bool { fatalError() }
  /// True after `.closed`, until reused.
  package var isClosed: Bool { fatalError() }
  /// Header fields in the order sent, pseudo headers and duplicates included.
  package var fieldCount: Int { fatalError() }
  package func field(at index: Int) -> HeaderField { fatalError() }
  /// How often `name` (lower case) occurs.
  package func count(of name: StaticString) -> Int { fatalError() }
  /// The first value of `name`; allocates.
  package func value(of name: StaticString) -> String? { fatalError() }
  /// Lends the first value of `name` without allocation.
  package func withValue<Result>(of name: StaticString, _ body: (Span<UInt8>) -> Result) -> Result? { fatalError() }
  package func isNeverIndexed(_ name: StaticString) -> Bool { fatalError() }
  /// Bytes of DATA received, also those not stored.
  package var bodyCount: Int { fatalError() }
  package func withBody<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result { fatalError() }
  package init() {}
}

/// The constant part of many requests: header fields in order, of which `:path` and at most one more (say `apns-id`)
/// get their value with each request.
package final class RequestTemplate {
  package enum Indexing: Sendable {
    /// In the compression table: repeated values cost one byte.
    case always
    /// Its first use on a connection puts the name into the table; later values never enter it.
    case nameOnly
    /// Never in the table.
    case never
  }
  /// - Parameter fields: without `:path` and the varying field; pseudo headers may come in any order.
  package init(fields: [(field: HeaderField, indexing: Indexing)], varying: String? = nil) { fatalError() }
}

/// How a stream ended.
package struct StreamEnd: Sendable {
  /// What the caller gave at `submit`.
  package let tag: UInt64
  package let streamID: Int32
  /// HTTP status of the final answer; 0 when no response headers came.
  package let status: Int
  /// Response header fields beyond `:status`; only kept when the status is not 200, or when configured.
  package let fields: [HeaderField]
  package let body: [UInt8]
  /// `noError` when the answer is whole.
  package let errorCode: ErrorCode
  /// The server never processed it, it can be sent again without any risk (RFC 9113 §8.7).
  package var isNotProcessed: Bool { status == 0 && errorCode == .refusedStream }
}

/// The client's half of an HTTP/2 connection. No I/O: requests and bytes in, events and bytes out. One thread.
package final class ClientSession {
  package struct Configuration {
    /// Keep the header fields of 200 answers too.
    package var keepsAllFields = false
    /// Longest answer body kept, in bytes.
    package var storedBodyBytes = 65_536
    package init() {}
  }
  package enum Event {
    /// The peer's SETTINGS, already in force. Look at `capacity`.
    case settings([Setting])
    /// A request is over; exactly one for each submitted (unless the session failed first).
    case closed(StreamEnd)
    case goAway(GoAway)
    case pong(UInt64)
  }
  package init(configuration: Configuration = Configuration()) throws(HTTP2Error) { fatalError() }
  package func receive(_ bytes: inout ByteBuffer) throws(HTTP2Error) { fatalError() }
  package func nextEvent() -> Event? { fatalError() }
  @discardableResult
  package func writeOutput(into buffer: inout ByteBuffer, softLimit: Int = 65_536) throws(HTTP2Error) -> Bool { fatalError() }
  package var wantsWrite: Bool { fatalError() }
  package var isFinished: Bool { fatalError() }
  /// Requests that may be submitted now: the peer's limit (1 before its SETTINGS) less the open ones; 0 after GOAWAY.
  package var capacity: Int { fatalError() }
  package var openStreams: Int { fatalError() }
  package var peerStreamLimit: Int { fatalError() }
  /// Bytes of request bodies that the connection window still takes, less those that wait to be sent.
  package var windowBytes: Int { fatalError() }
  /// False after GOAWAY, and when stream ids have run out.
  package var acceptsRequests: Bool { fatalError() }
  /// Returns the stream id. Throws when there is no capacity or the session is over: the request was not taken.
  package func submit(
    _ template: RequestTemplate, path: Span<UInt8>, varying: Span<UInt8>, body: Span<UInt8>, tag: UInt64
  ) throws(HTTP2Error) -> Int32 { fatalError() }
  /// For single requests.
  package func submit(fields: [HeaderField], body: [UInt8], tag: UInt64) throws(HTTP2Error) -> Int32 { fatalError() }
  /// RST_STREAM; `closed` follows with this code.
  package func reset(_ streamID: Int32, _ code: ErrorCode) { fatalError() }
  package func ping(_ payload: UInt64) { fatalError() }
  package func goAway(_ code: ErrorCode = .noError) { fatalError() }
}
