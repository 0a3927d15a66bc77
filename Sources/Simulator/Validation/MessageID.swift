/// An `apns-id`: a UUID in its canonical form of 36 lower-case characters.
package struct MessageID: Hashable, Sendable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Parses the canonical form in either case. Returns nil if it is malformed.
  package init?(_ text: Span<UInt8>) {
    guard text.count == Self.characters else { return nil }
    var words = (UInt64(0), UInt64(0))
    var digits = 0
    for index in text.indices {
      if Self.isHyphen(index) {
        guard text[index] == 0x2D else { return nil }
        continue
      }
      guard let value = ASCII.hexadecimal(text[index]) else { return nil }
      if digits < 16 { words.0 = words.0 << 4 | UInt64(value) } else { words.1 = words.1 << 4 | UInt64(value) }
      digits += 1
    }
    (high, low) = words
  }

  /// Returns a random UUID of version 4 (RFC 9562, 5.4).
  package static func random(_ dice: inout SplitMix64) -> MessageID {
    MessageID(high: dice.next() & ~0xF000 | 0x4000, low: dice.next() & ~(3 << 62) | 2 << 62)
  }

  package static let characters = 36

  private static func isHyphen(_ index: Int) -> Bool { index == 8 || index == 13 || index == 18 || index == 23 }

  /// The 36 characters of the canonical form.
  package var text: InlineArray<36, UInt8> {
    var text = InlineArray<36, UInt8>(repeating: 0x2D)
    var digits = 0
    for index in text.indices where !Self.isHyphen(index) {
      let word = digits < 16 ? high : low
      text[index] = ASCII.digit(UInt8(truncatingIfNeeded: word >> UInt64(60 - digits % 16 * 4)) & 15)
      digits += 1
    }
    return text
  }

  package var description: String {
    let text = text
    return ASCII.string(text.span)
  }
}
