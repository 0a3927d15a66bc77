/// A UUID stored as two integers: cheap to copy, compare and sort. Sorts in the order of PostgreSQL's `uuid`.
package struct UUIDValue: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The first eight bytes, as a big-endian integer.
  package let high: UInt64
  /// The last eight bytes, as a big-endian integer.
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Returns a random UUID, version 4 (RFC 9562 section 5.4).
  package static func random() -> UUIDValue {
    var generator = SystemRandomNumberGenerator()
    return UUIDValue(
      high: generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
      low: generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }

  /// Parses the 36-character form with hyphens, in either case; nil for anything else.
  package init?(_ text: String) {
    var halves: (UInt64, UInt64) = (0, 0)
    var index = 0
    for byte in text.utf8 {
      defer { index += 1 }
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard index < 36, let digit = Self.value(ofHexDigit: byte) else { return nil }
      if index < 18 { halves.0 = halves.0 << 4 | digit } else { halves.1 = halves.1 << 4 | digit }
    }
    guard index == 36 else { return nil }
    self.init(high: halves.0, low: halves.1)
  }

  package var description: String {
    var text = ""
    text.reserveCapacity(36)
    for position in 0..<32 {
      if position == 8 || position == 12 || position == 16 || position == 20 { text.append("-") }
      let half = position < 16 ? high : low
      let digit = UInt8(truncatingIfNeeded: half >> UInt64(60 - position % 16 * 4)) & 15
      text.unicodeScalars.append(Unicode.Scalar(digit < 10 ? 48 + digit : 87 + digit))
    }
    return text
  }

  package static func < (left: UUIDValue, right: UUIDValue) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }

  private static func value(ofHexDigit byte: UInt8) -> UInt64? {
    switch byte {
    case 48...57: UInt64(byte - 48)
    case 65...70: UInt64(byte - 55)
    case 97...102: UInt64(byte - 87)
    default: nil
    }
  }
}
