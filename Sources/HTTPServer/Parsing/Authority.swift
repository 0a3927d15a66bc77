/// Validates `uri-host [ ":" port ]` (RFC 9110 §7.2): the value of Host, and the authority of an absolute-form target.
enum Authority {
  /// Returns whether the bytes in `start..<end` are a valid authority. The host must not be empty (RFC 9110 §4.2.1);
  /// user information is not allowed (§4.2.4). An address in brackets need only consist of hexadecimal digits, dots and
  /// at least two colons.
  static func isValid(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard start < end else { return false }
    var index = start
    if bytes[start] == UInt8(ascii: "[") {
      index += 1
      var colons = 0
      while index < end, bytes[index] != UInt8(ascii: "]") {
        let byte = bytes[index]
        if byte == UInt8(ascii: ":") { colons += 1 }
        guard ByteClass.hexValue(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") else {
          return false
        }
        index += 1
      }
      guard index < end, colons >= 2 else { return false }
      index += 1
    } else {
      // Nearly all names and addresses end here, with the authority or before its port.
      while index < end, ByteClass.isLetterDigitOrDot(bytes[index]) { index += 1 }
      while index < end, bytes[index] != UInt8(ascii: ":") {
        if bytes[index] == UInt8(ascii: "%") {
          guard end - index >= 3, ByteClass.hexValue(bytes[index + 1]) != nil,
            ByteClass.hexValue(bytes[index + 2]) != nil
          else { return false }
          index += 3
        } else {
          guard ByteClass.isRegisteredName(bytes[index]) else { return false }
          index += 1
        }
      }
      guard index > start else { return false }
    }
    return index == end || isPort(bytes, index, end)
  }

  /// Returns whether the bytes in `start..<end`, which must not be empty, are a colon followed by a number up to 65,535
  /// of at most five digits, or by nothing (RFC 3986 §3.2.3).
  private static func isPort(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard bytes[start] == UInt8(ascii: ":"), end - start <= 6 else { return false }
    var port = 0
    for index in start + 1..<end {
      guard ByteClass.isDigit(bytes[index]) else { return false }
      // Five digits cannot overflow.
      port = port &* 10 &+ Int(bytes[index] &- 0x30)
    }
    return port <= 65_535
  }

  /// Returns whether two authorities have the same text, ignoring ASCII case (RFC 9110 §4.2.3). If only one of them has
  /// a port, they differ, even if it is the default port.
  static func areEqual(_ bytes: Span<UInt8>, _ one: RequestHead.Slice, _ other: RequestHead.Slice) -> Bool {
    guard one.count == other.count else { return false }
    for offset in 0..<Int(one.count) {
      let left = ByteClass.lowercased(bytes[Int(one.start) + offset])
      if left != ByteClass.lowercased(bytes[Int(other.start) + offset]) { return false }
    }
    return true
  }
}
