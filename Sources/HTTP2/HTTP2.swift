/// HTTP/2 (RFC 9113) without I/O: a client's and a server's half of a connection.
///
/// ```
///   socket ─► bytes ─► receive(_:) ─► nextEvent() ─► owner         owner ─► submit / respond ─┐
///                                                                                            ▼
///   socket ◄─ bytes ◄────────────────────────────────────────────────────────── writeOutput(into:)
/// ```
///
/// One turn of an owner: `receive` what arrived → take events until there are none, submitting or responding as it likes
/// → `writeOutput` into its buffer → write that to the socket. Nothing is called back, so nothing can be re-entered.
///
/// The server's half is nghttp2. The client's half writes and reads frames by itself, because a sender does little else:
/// it needs a third of the time; only answers' header compression is left to nghttp2. What one half does wrong the other,
/// made by others, finds in the tests.
///
/// Invariants:
/// - A client never has more requests open than the peer's SETTINGS allowed when they were submitted, and only one
///   before the first SETTINGS came.
/// - Each submitted request ends with exactly one `.closed` event, unless the session itself fails first; then the
///   owner knows which requests it still waits for.
/// - `StreamEnd.isNotProcessed` is true only when RFC 9113 §8.7 guarantees it: the one rule for REFUSED_STREAM, for
///   streams above a GOAWAY's last stream id, and for requests that never left.
///
/// - What a server makes a client hold or do is bounded, however slowly or quickly it speaks: a block and the list it unfolds
///   to, a body, acknowledgements that wait, and the frames that bring no answer nearer (`Limits.idleFrames`).
///
/// Failure: what a peer sends wrong ends the stream (RST_STREAM) or the connection (GOAWAY, `HTTP2Error`); nothing traps.
package enum HTTP2 {
  /// Numbers of this module: unit, reason, source.
  package enum Limits {
    /// Streams a client opens before the peer's SETTINGS: APNs allows one until a token was accepted.
    package static let streamsBeforeSettings = 1
    /// Highest stream id (RFC 9113 §5.1.1).
    package static let highestStreamID: Int32 = 0x7FFF_FFFF
    /// The connection's flow-control window before any WINDOW_UPDATE, in bytes (RFC 9113 §6.9.2).
    package static let initialWindowBytes = 65_535
    /// Output gathered before it is handed to TLS, in bytes: a few full TLS records.
    package static let outputBytes = 65_536
    /// Answer or request body kept, in bytes, unless configured otherwise: far above any that APNs or FCM sends. A longer
    /// answer ends its stream; of a request the rest is only counted.
    package static let storedBodyBytes = 65_536
    /// A frame's header, in bytes (RFC 9113 §4.1).
    static let frameHeaderBytes = 9
    /// Frames that everyone must take, in bytes; we never allow more (RFC 9113 §6.5.2).
    static let smallestFrameBytes = 16_384
    /// A window never grows beyond this many bytes (RFC 9113 §6.9.1).
    static let largestWindowBytes = 0x7FFF_FFFF
    /// The compression table, in bytes (RFC 9113 §6.5.2); APNs offers no more.
    static let headerTableBytes = 4096
    /// A header block of an answer over several frames: far more than any server sends, against endless ones.
    static let headerBlockBytes = 65_536
    static let headerBlockFrames = 16
    /// Entries of one SETTINGS frame; six are defined.
    static let settingsPerFrame = 32
    /// A header list of an answer, decompressed, in bytes as RFC 9113 §6.5.2 counts them: that of APNs has some 100, of FCM
    /// 600. A block of a few bytes may unfold into any number (RFC 7541 §6.1).
    package static let headerListBytes = 32_768
    /// What a field counts for beside its name and value (RFC 9113 §6.5.2).
    static let fieldOverheadBytes = 32
    /// GOAWAYs on one connection: two are usual (RFC 9113 §6.8).
    static let goAways = 16
    /// Announcements (1xx) before an answer: neither network sends any.
    package static let announcements = 8
    /// Frames tolerated without progress on any response, between two responses or within one second. Well above a
    /// legitimate burst, such as a WINDOW_UPDATE for each of 500 streams.
    package static let idleFrames = 2_000
    /// Frames of an answer that come too late, for each of the streams that were ever open at once: all may be given up in
    /// the same second, and be answered in the next with HEADERS and DATA.
    package static let lateFrames = 2
    /// SETTINGS and PINGs of a peer answered but not yet written.
    package static let waitingAcknowledgements = 100
  }
}

/// RFC 9113 §7. Unknown codes from a peer are kept as they are.
package struct ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

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

  private static let names = [
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
    "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
  ]

  package var description: String {
    Int(rawValue) < Self.names.count ? Self.names[Int(rawValue)] : "error code \(rawValue)"
  }
}

/// One entry of a SETTINGS frame (RFC 9113 §6.5.2).
package struct Setting: Hashable, Sendable {
  package let identifier: UInt16
  package let value: UInt32

  package init(identifier: UInt16, value: UInt32) {
    self.identifier = identifier
    self.value = value
  }

  package static func headerTableSize(_ value: UInt32) -> Setting { Setting(identifier: 1, value: value) }
  package static func enablePush(_ value: UInt32) -> Setting { Setting(identifier: 2, value: value) }
  package static func maxConcurrentStreams(_ value: UInt32) -> Setting { Setting(identifier: 3, value: value) }
  package static func initialWindowSize(_ value: UInt32) -> Setting { Setting(identifier: 4, value: value) }
  package static func maxFrameSize(_ value: UInt32) -> Setting { Setting(identifier: 5, value: value) }
  package static func maxHeaderListSize(_ value: UInt32) -> Setting { Setting(identifier: 6, value: value) }
}

/// A GOAWAY that came in (RFC 9113 §6.8).
package struct GoAway: Sendable, Equatable {
  /// Streams above it were not processed and never will be.
  package let lastStreamID: Int32
  package let errorCode: ErrorCode
  package let debugData: [UInt8]

  package init(lastStreamID: Int32, errorCode: ErrorCode, debugData: [UInt8]) {
    self.lastStreamID = lastStreamID
    self.errorCode = errorCode
    self.debugData = debugData
  }
}

/// A header field. Names are lower case on the wire (RFC 9113 §8.2.1).
package struct HeaderField: Sendable, Equatable {
  package var name: String
  package var value: String
  /// The sender asked that no intermediary ever puts it into a compression table (RFC 7541 §6.2.3).
  package var isNeverIndexed: Bool

  package init(_ name: String, _ value: String, isNeverIndexed: Bool = false) {
    self.name = name
    self.value = value
    self.isNeverIndexed = isNeverIndexed
  }
}
