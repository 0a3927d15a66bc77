/// Creates response bodies, debug data and frames.
enum AnswerBody {
  /// Returns the JSON that Apple documents: `reason`, and for status 410 `timestamp` in milliseconds since 1970.
  static func json(reason: String, timestampMilliseconds: Int64?) -> [UInt8] {
    var text = #"{"reason":""# + reason + #"""#
    if let timestampMilliseconds { text += #","timestamp":"# + String(timestampMilliseconds) }
    return Array((text + "}").utf8)
  }

  /// Debug data of the GOAWAY for a client that opens too many streams (observed).
  static let violation = Array("Maximum active streams violated for this endpoint.".utf8)

  /// Returns an RST_STREAM frame (RFC 9113, 6.4), for a second one on a stream, which HTTP/2 libraries never send.
  static func resetFrame(stream: Int32, code: UInt32) -> [UInt8] {
    [0, 0, 4, 3, 0] + bigEndian(UInt32(stream)) + bigEndian(code)
  }

  private static func bigEndian(_ word: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
  }
}
