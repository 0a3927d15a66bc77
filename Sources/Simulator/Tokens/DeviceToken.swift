/// A device token: opaque bytes, written in hexadecimal. Case is not significant.
package struct DeviceToken: Hashable, Sendable, CustomStringConvertible {
  // The first 32 bytes, which are the whole of an ordinary token; the rest of a longer one is in `tail`.
  let words: (UInt64, UInt64, UInt64, UInt64)
  let byteCount: Int
  let tail: [UInt8]

  /// Parses a token. Returns nil for an odd number of digits, other characters, or a length outside 2…400 digits.
  package init?(hexadecimal text: Span<UInt8>) {
    guard text.count >= 2, text.count.isMultiple(of: 2), text.count <= Limits.tokenDigits else { return nil }
    var words = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
    guard Self.read(text, 0, &words.0), Self.read(text, 16, &words.1), Self.read(text, 32, &words.2),
      Self.read(text, 48, &words.3)
    else { return nil }
    var tail: [UInt8] = []
    for index in stride(from: 64, to: text.count, by: 2) {
      guard let high = ASCII.hexadecimal(text[index]), let low = ASCII.hexadecimal(text[index + 1]) else { return nil }
      tail.append(high << 4 | low)
    }
    self.words = words
    self.tail = tail
    byteCount = text.count / 2
  }

  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    self.init(hexadecimal: bytes.span)
  }

  /// Creates a token of 32 bytes.
  package init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
    words = (first, second, third, fourth)
    byteCount = 32
    tail = []
  }

  /// Recreates a token from its stored parts.
  init(words: (UInt64, UInt64, UInt64, UInt64), byteCount: Int, tail: [UInt8]) {
    self.words = words
    self.byteCount = byteCount
    self.tail = tail
  }

  /// Parses up to 16 digits from `start` into the high end of a word. Returns false for any other character.
  private static func read(_ text: Span<UInt8>, _ start: Int, _ word: inout UInt64) -> Bool {
    guard start < text.count else { return true }
    let end = min(start + 16, text.count)
    for index in start..<end {
      guard let value = ASCII.hexadecimal(text[index]) else { return false }
      word = word << 4 | UInt64(value)
    }
    word <<= UInt64(16 - (end - start)) * 4
    return true
  }

  package static func == (left: DeviceToken, right: DeviceToken) -> Bool {
    left.words == right.words && left.byteCount == right.byteCount && left.tail == right.tail
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
    hasher.combine(tail)
  }

  /// The token in lower-case hexadecimal digits.
  package var description: String {
    var text: [UInt8] = []
    for index in 0..<byteCount {
      let byte = byte(index)
      text.append(ASCII.digit(byte >> 4))
      text.append(ASCII.digit(byte & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns whether the lower-case form begins with these digits.
  func hasHexadecimalPrefix(_ digits: [UInt8]) -> Bool {
    guard digits.count <= byteCount * 2 else { return false }
    for (index, digit) in digits.enumerated() {
      let byte = byte(index / 2)
      if ASCII.digit(index.isMultiple(of: 2) ? byte >> 4 : byte & 15) != digit { return false }
    }
    return true
  }

  /// The first eight bytes as a number.
  package var firstWord: UInt64 { words.0 }

  private func byte(_ index: Int) -> UInt8 {
    guard index < 32 else { return tail[index - 32] }
    let word = index < 8 ? words.0 : index < 16 ? words.1 : index < 24 ? words.2 : words.3
    return UInt8(truncatingIfNeeded: word >> UInt64(56 - index % 8 * 8))
  }
}
