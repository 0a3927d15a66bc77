/// HTTP/2 (RFC 9113) without I/O: the client half and the server half of a connection.
///
/// ```
///   socket ─► bytes ─► receive(_:) ─► nextEvent() ─► owner         owner ─► submit / respond ─┐
///                                                                                            ▼
///   socket ◄─ bytes ◄────────────────────────────────────────────────────────── writeOutput(into:)
/// ```
///
/// One iteration of an owner: `receive` what arrived → take events until there are none, submitting or responding as
/// needed → `writeOutput` into its buffer → write that to the socket. There are no callbacks, so no method can be
/// re-entered.
///
/// The server half is nghttp2. The client half encodes and parses frames itself, because that is most of a sender's
/// work and takes a third of the time; nghttp2 only decompresses response headers. The tests run each half against
/// independent implementations, so that a mistake is not mirrored in its counterpart.
///
/// Invariants:
/// - A client never has more requests open than the peer's SETTINGS allowed when they were submitted, and only one
///   before the first SETTINGS arrives.
/// - Each submitted request ends with exactly one `.closed` event, unless the session itself fails first; then the
///   owner knows which requests are still outstanding.
/// - `StreamEnd.isNotProcessed` is true only when RFC 9113 §8.7 guarantees it: the one rule for REFUSED_STREAM, for
///   streams above a GOAWAY's last stream id, and for requests that were never sent.
/// - Everything a server can make a client hold or do is bounded, at any speed: a header block and its decompressed
///   list, a body, queued acknowledgements, and frames that make no progress (`Limits.idleFrames`).
///
/// Failure: a peer's error ends the stream (RST_STREAM) or the connection (GOAWAY, `HTTP2Error`); nothing traps.
package enum HTTP2 {
  /// Limits of this module.
  package enum Limits {
    /// Maximum concurrent streams that a client opens before the peer's SETTINGS arrive: APNs allows one until it has
    /// accepted a token.
    static let streamsBeforeSettings = 1
    /// The highest stream id (RFC 9113 §5.1.1).
    package static let highestStreamID: Int32 = 0x7FFF_FFFF
    /// The connection's flow-control window before any WINDOW_UPDATE, in bytes (RFC 9113 §6.9.2).
    package static let initialWindowBytes = 65_535
    /// Maximum output that a server collects before passing it to TLS, in bytes: a few full TLS records.
    package static let outputBytes = 65_536
    /// The default maximum of a response or request body kept, in bytes: far above any that APNs or FCM sends. A longer
    /// response resets its stream; the excess of a request is counted but not stored.
    package static let storedBodyBytes = 65_536
    /// The size of a frame header, in bytes (RFC 9113 §4.1).
    static let frameHeaderBytes = 9
    /// Maximum frame payload that every endpoint must accept, in bytes; we never allow more (RFC 9113 §6.5.2).
    static let smallestFrameBytes = 16_384
    /// Maximum flow-control window, in bytes (RFC 9113 §6.9.1).
    static let largestWindowBytes = 0x7FFF_FFFF
    /// The size of our HPACK table, in bytes: the protocol's default (RFC 9113 §6.5.2), and all that APNs offers.
    static let headerTableBytes = 4096
    /// Maximum size of a response's header block, in bytes: far more than any server sends, but enough to stop an
    /// endless one.
    static let headerBlockBytes = 65_536
    /// Maximum number of frames of a response's header block.
    static let headerBlockFrames = 16
    /// Maximum entries in one SETTINGS frame; six are defined.
    static let settingsPerFrame = 32
    /// Maximum decompressed response header list, in bytes as RFC 9113 §6.5.2 counts them: APNs sends about 100, FCM
    /// 600. A block of a few bytes can expand to any size (RFC 7541 §6.1).
    package static let headerListBytes = 32_768
    /// The overhead counted for each field besides its name and value, in bytes (RFC 9113 §6.5.2).
    static let fieldOverheadBytes = 32
    /// Maximum GOAWAY frames on one connection: two are usual (RFC 9113 §6.8).
    static let goAways = 16
    /// Maximum 1xx responses before the final one: neither network sends any.
    package static let announcements = 8
    /// Maximum frames that advance no request, between two responses or within one second. Well above a legitimate
    /// burst, such as a WINDOW_UPDATE for each of 500 streams.
    package static let idleFrames = 2_000
    /// The number of frames by which `idleFrames` is raised for each stream of the largest number open at the same
    /// time: if we cancel all of them, the peer may still answer each with HEADERS and DATA, which advances no request.
    package static let lateFrames = 2
    /// Maximum acknowledgements of a peer's SETTINGS and PINGs not yet written.
    package static let waitingAcknowledgements = 100
  }
}

/// An HTTP/2 error code (RFC 9113 §7). Unknown codes from a peer are kept unchanged.
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

/// An entry of a SETTINGS frame (RFC 9113 §6.5.2).
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

/// A received GOAWAY (RFC 9113 §6.8).
package struct GoAway: Sendable, Equatable {
  /// The highest id of a stream that may have been processed; streams with higher ids were not and never will be.
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
  /// True if intermediaries must not index this field (RFC 7541 §6.2.3), because it is secret for example.
  package var isNeverIndexed: Bool

  package init(_ name: String, _ value: String, isNeverIndexed: Bool = false) {
    self.name = name
    self.value = value
    self.isNeverIndexed = isNeverIndexed
  }
}
