/// Character classes from the grammars of RFC 9110 and RFC 3986, tested by comparisons and bit masks instead of tables.
enum ByteClass {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20

  /// Returns whether the byte is a `tchar` of RFC 9110 §5.6.2: letters, digits and ! # $ % & ' * + - . ^ _ ` | ~
  @inline(__always)
  static func isToken(_ byte: UInt8) -> Bool {
    // Test the most frequent characters first: letters and dashes.
    (byte | 0x20) &- 0x61 < 26 || byte == 0x2D
      || isMember(byte, low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
  }

  /// Returns whether the byte is forbidden in a field value: control characters other than the tab (RFC 9110 §5.5).
  @inline(__always)
  static func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 && byte != tab || byte == 0x7F
  }

  /// Returns whether this server allows the byte in a request target: visible ASCII except `#`. RFC 3986 excludes more,
  /// such as " < > \ ^ ` { | }, but some clients send them unencoded, and they cannot be confused with framing.
  @inline(__always)
  static func isTarget(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && byte != 0x23
  }

  /// Returns whether the byte can be in a request target wherever it is, and means itself: ASCII letters and digits,
  /// slash, dash and underscore.
  @inline(__always)
  static func isPlainPath(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte &- 0x2F < 11 || byte == 0x2D || byte == 0x5F
  }

  /// Returns whether the byte is a `reg-name` character of RFC 3986 §3.2.2: unreserved and sub-delims (`%` is checked
  /// separately).
  @inline(__always)
  static func isRegisteredName(_ byte: UInt8) -> Bool {
    isMember(byte, low: 0x2BFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
  }

  /// Returns whether the byte is an ASCII letter, a digit or a dot, which covers most bytes of host names and
  /// addresses.
  @inline(__always)
  static func isLetterDigitOrDot(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x2E
  }

  @inline(__always)
  static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  /// Returns the value of a hexadecimal digit; nil for any other byte.
  @inline(__always)
  static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }

  @inline(__always)
  static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }

  @inline(__always)
  private static func isMember(_ byte: UInt8, low: UInt64, high: UInt64) -> Bool {
    if byte < 64 { return low >> UInt64(byte) & 1 == 1 }
    return byte < 128 && high >> UInt64(byte - 64) & 1 == 1
  }
}
