private import PlainText

/// Parses strings (RFC 8259, section 7).
extension JSONReader {
  /// Parses a string. Refuses invalid UTF-8, lone surrogates, raw control characters, U+0000 (which PostgreSQL cannot
  /// store), and long runs of combining marks, which make comparing the text take quadratic time (`PlainText`).
  package mutating func readString() throws(JSONError) -> String {
    guard try peek() == .string else { throw JSONError("must be a string") }
    let start = position + 1
    position = start
    // Most strings contain no escapes and are copied as they are. ASCII is valid UTF-8 and needs no further check.
    let (end, bits) = Self.endOfPlainText(bytes.span, from: start)
    guard end < bytes.count else { throw .malformed("the text ends inside a string") }
    switch bytes[end] {
    case UInt8(ascii: "\""):
      position = end + 1
      let text = bytes[start..<end]
      return bits < 0x80 ? String(decoding: text, as: UTF8.self) : try Self.text(text)
    case UInt8(ascii: "\\"):
      position = end
      return try readEscapedString(from: start)
    default: throw .malformed("holds a control character; write it as \\uXXXX")
    }
  }

  /// Skips a string, which is refused as by `readString`. The next value must be one.
  mutating func skipString() throws(JSONError) {
    // Plain ASCII needs no further check.
    let (end, bits) = Self.endOfPlainText(bytes.span, from: position + 1)
    if end < bytes.count, bytes[end] == UInt8(ascii: "\""), bits < 0x80 {
      position = end + 1
    } else {
      _ = try readString()
    }
  }

  /// Returns the position of the first quotation mark, backslash or control character, or the end; and all bytes before
  /// it combined by OR.
  private static func endOfPlainText(_ bytes: Span<UInt8>, from start: Int) -> (end: Int, bits: UInt8) {
    var (end, bits) = (start, UInt8(0))
    while end < bytes.count {
      let byte = bytes[end]
      if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      bits |= byte
      end += 1
    }
    return (end, bits)
  }

  private mutating func readEscapedString(from start: Int) throws(JSONError) -> String {
    var text = Array(bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return try Self.text(text[...])
      case UInt8(ascii: "\\"): try readEscape(into: &text)
      case 0..<0x20: throw .malformed("holds a control character; write it as \\uXXXX")
      default: text.append(byte)
      }
    }
    throw .malformed("the text ends inside a string")
  }

  private static func text(_ bytes: ArraySlice<UInt8>) throws(JSONError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed("is not UTF-8") }
    guard text.isStreamSafe else { throw JSONError(PlainText.objection) }
    return text
  }

  private mutating func readEscape(into text: inout [UInt8]) throws(JSONError) {
    guard position < bytes.count else { throw .malformed("the text ends inside a string") }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): try readUnicodeEscape(into: &text)
    default: throw .malformed("holds an unknown escape")
    }
  }

  /// Parses `\uXXXX`, or two of them for a character beyond U+FFFF (RFC 8259, section 7).
  private mutating func readUnicodeEscape(into text: inout [UInt8]) throws(JSONError) {
    var value = try readHexQuad()
    if (0xD800..<0xDC00).contains(value) {
      guard position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
      else { throw .malformed("holds half a surrogate pair") }
      position += 2
      let low = try readHexQuad()
      guard (0xDC00..<0xE000).contains(low) else { throw .malformed("holds half a surrogate pair") }
      value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
    }
    guard value != 0 else { throw JSONError("holds U+0000, which cannot be stored") }
    guard let scalar = Unicode.Scalar(value) else { throw .malformed("holds half a surrogate pair") }
    text.append(contentsOf: String(scalar).utf8)
  }

  private mutating func readHexQuad() throws(JSONError) -> UInt32 {
    guard position + 4 <= bytes.count else { throw .malformed("the text ends inside a string") }
    var value: UInt32 = 0
    for byte in bytes[position..<position + 4] {
      guard let digit = hexValue(byte) else { throw .malformed("holds a \\u escape without four hex digits") }
      value = value << 4 | UInt32(digit)
    }
    position += 4
    return value
  }

  private func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 48
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 87
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 55
    default: nil
    }
  }
}
