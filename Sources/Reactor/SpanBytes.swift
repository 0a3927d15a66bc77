public import Glibc

/// Operations on spans of bytes that the standard library does not provide yet: copying, and, for the parsers of the
/// most frequent requests, comparing and searching in place, several bytes at a time.
extension Span<UInt8> {
  /// Returns whether the span contains `text` at `offset`; false if it is too short. Inlinable, because the compiler
  /// replaces `memcmp` by word comparisons where the text is a literal.
  @inlinable package func hasText(_ text: StaticString, at offset: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard offset >= 0, length <= count - offset else { return false }
    // Safe: both ranges are within their bytes.
    return unsafe withUnsafeBytes { raw in unsafe memcmp(raw.baseAddress! + offset, text.utf8Start, length) == 0 }
  }

  /// Returns the index of the first byte, from `start` on, that a parser of quoted strings must examine: `"`, `\`, a
  /// control character below 0x20, or a byte outside ASCII. Returns `count` if there is none.
  package func endOfPlainText(from start: Int) -> Int {
    var index = start
    while count - index >= 8 {
      // Safe: the read is within the span, and any eight bytes are a valid number.
      let word = UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
      // Each test sets the highest bit of each byte that it finds. A borrow may set it in later bytes too, but never
      // before the first byte found.
      let controls = (word &- 0x2020_2020_2020_2020) & ~word
      let quotes = Self.zeros(word ^ 0x2222_2222_2222_2222)
      let backslashes = Self.zeros(word ^ 0x5C5C_5C5C_5C5C_5C5C)
      let marks = (controls | quotes | backslashes | word) & 0x8080_8080_8080_8080
      guard marks == 0 else { return index + marks.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < count {
      let byte = self[index]
      if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      index += 1
    }
    return index
  }

  /// True if one of the bytes is between `A` and `F`. Meaningful only if all bytes are ASCII.
  package var hasCapitalHexDigit: Bool {
    var index = 0
    while count - index >= 8 {
      // Safe: as above.
      let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      let isFromA = word &+ 0x3F3F_3F3F_3F3F_3F3F
      let isBehindF = word &+ 0x3939_3939_3939_3939
      if isFromA & ~isBehindF & 0x8080_8080_8080_8080 != 0 { return true }
      index += 8
    }
    while index < count {
      if self[index] >= UInt8(ascii: "A"), self[index] <= UInt8(ascii: "F") { return true }
      index += 1
    }
    return false
  }

  /// Returns a word with the highest bit set in each zero byte, and perhaps in other bytes after the first zero byte.
  private static func zeros(_ word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word }
}

extension String {
  /// Creates a string from UTF-8; invalid bytes are replaced.
  @inlinable
  package init(copying bytes: Span<UInt8>) {
    // Safe: the bytes are read within the call.
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension Array<UInt8> {
  @inlinable
  package init(copying bytes: Span<UInt8>) {
    // Safe: the bytes are read within the call.
    self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }
}
