/// Encodes and decodes hexadecimal digits.
public enum Hex {
  /// Returns the lower-case digit of a value below 16, computed, because a look-up table would be slower.
  @inlinable package static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 48 + value : 87 + value }

  package static func append(_ byte: UInt8, to text: inout [UInt8]) {
    text.append(digit(byte >> 4))
    text.append(digit(byte & 15))
  }

  /// Writes the `count` highest digits of a word over `text`, from index `start`.
  static func write(_ word: UInt64, digits count: Int, at start: Int, to text: inout MutableSpan<UInt8>) {
    var rest = word
    for place in start..<start + count {
      text[place] = digit(UInt8(truncatingIfNeeded: rest >> 60))
      rest <<= 4
    }
  }

  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes { append(byte, to: &text) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns whether the byte is a digit as `encode` writes it: in lower case.
  package static func isLowerDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 || byte &- 97 < 6 }

  /// Returns the value of a digit in either case; nil for any other byte.
  package static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - 48
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - 87
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - 55
    default: nil
    }
  }

  /// Decodes the digits of a range, at most 16, as a number. Returns nil for a character that is not a hex digit.
  package static func word(_ digits: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
    var word: UInt64 = 0
    var place = range.lowerBound
    while range.upperBound - place >= 8 {
      guard let eight = eightDigits(digits.extracting(place..<place + 8)) else { return nil }
      word = word << 32 | eight
      place += 8
    }
    while place < range.upperBound {
      guard let value = value(of: digits[place]) else { return nil }
      word = word << 4 | UInt64(value)
      place += 1
    }
    return word
  }

  /// Decodes a span of eight digits as a number, all at once. Returns nil for a character that is not a hex digit.
  private static func eightDigits(_ digits: Span<UInt8>) -> UInt64? {
    var text: UInt64 = 0
    for place in 0..<8 { text = text << 8 | UInt64(digits[place]) }
    // Letters have the bit 0x40, and the lower half of "a" is 1.
    let letters = text >> 6 & 0x0101_0101_0101_0101
    let values = text & 0x0F0F_0F0F_0F0F_0F0F &+ letters &* 9
    // They are digits if they are what their values are written as, in lower case.
    let aboveNine = (values &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    guard values & 0xF0F0_F0F0_F0F0_F0F0 == 0,
      values &+ 0x3030_3030_3030_3030 &+ aboveNine &* 0x27 == text | letters << 5
    else { return nil }
    // Move the eight half-bytes together.
    var word = (values | values >> 4) & 0x00FF_00FF_00FF_00FF
    word = (word | word >> 8) & 0x0000_FFFF_0000_FFFF
    return (word | word >> 16) & 0xFFFF_FFFF
  }

  /// Decodes hexadecimal text. Returns nil for an odd number of characters, or a character that is not a hex digit.
  package static func decode(_ text: String) -> [UInt8]? {
    let digits = text.utf8.span
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 2)
    for place in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(of: digits[place]), let low = value(of: digits[place + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}
