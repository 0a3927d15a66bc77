/// Parses the first line of a request: `method SP request-target SP HTTP-version` (RFC 9112 §3).
extension RequestHead {
  /// Parses a request line into method, target and version. Throws 505 for an HTTP version other than `1.` and one
  /// digit, and 400 for every other fault.
  /// - Parameters:
  ///   - start: index of its first byte.
  ///   - end: index after its last byte, excluding the CR LF.
  mutating func parseRequestLine(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(Malformed) {
    var packed: UInt64 = 0
    var index = start
    while index < end, ByteClass.isToken(bytes[index]) {
      packed = packed << 8 | UInt64(bytes[index])
      index += 1
    }
    guard index > start, index < end, bytes[index] == ByteClass.space else {
      throw Malformed(.badRequest, "The request does not begin with a method and one space (RFC 9112 §3.1).")
    }
    methodName = Slice(start, index)
    method = Method(packed: packed, count: index - start)

    let targetStart = index + 1
    index = targetStart
    // Most targets are paths of such bytes alone, and need only this pass.
    while index < end, ByteClass.isPlainPath(bytes[index]) { index += 1 }
    let isPlain = index < end && bytes[index] == ByteClass.space
    while index < end, ByteClass.isTarget(bytes[index]) { index += 1 }
    guard index > targetStart else { throw Malformed(.badRequest, "The request target is missing (RFC 9112 §3.2).") }
    guard index < end, bytes[index] == ByteClass.space else {
      throw Malformed(.badRequest, "The request target holds a character that is not allowed (RFC 9112 §3.2).")
    }
    minorVersion = try Self.parseVersion(bytes, index + 1, end)
    if isPlain, bytes[targetStart] == UInt8(ascii: "/") {
      path = Slice(targetStart, index)
    } else {
      try parseTarget(bytes, targetStart, index)
    }
  }

  private static func parseVersion(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(Malformed) -> Int {
    guard bytes.equals("HTTP/", at: start, end) else {
      throw Malformed(.badRequest, "The request line does not end with one space and a version (RFC 9112 §3).")
    }
    let digits = start + 5
    guard end - digits == 3, bytes[digits] == UInt8(ascii: "1"), bytes[digits + 1] == UInt8(ascii: "."),
      ByteClass.isDigit(bytes[digits + 2])
    else {
      throw Malformed(.httpVersionNotSupported, "Only HTTP/1.1 and HTTP/1.0 are spoken here (RFC 9110 §15.6.6).")
    }
    // A higher minor version is treated as the highest supported one (RFC 9110 §2.5).
    return bytes[digits + 2] == UInt8(ascii: "0") ? 0 : 1
  }
}
