/// The character classes of RFC 9110's grammar.
enum HTTPToken {
  /// Returns true for `tchar` (§5.6.2): letters, digits and ! # $ % & ' * + - . ^ _ ` | ~
  static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E...0x60, 0x7C, 0x7E: true
    default: false
    }
  }

  /// Returns true for bytes forbidden in a field value (§5.5): control characters other than the tab.
  static func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 && byte != 0x09 || byte == 0x7F
  }
}
