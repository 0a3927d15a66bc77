internal import PlainText
internal import Reactor

/// Decodes `application/x-www-form-urlencoded` data in queries and bodies: `name=value&name=value`, with `+` for a
/// space and `%XX` for any byte.
package enum FormDecoding {
  /// Returns the value of the first `name`; empty if no `=` follows the name. Returns nil if the name is absent, or
  /// this value cannot be decoded (see `decode`). Names are compared as sent, without decoding.
  package static func value(of name: StaticString, in form: Span<UInt8>) -> String? {
    var start = 0
    while start < form.count {
      var end = start
      while end < form.count, form[end] != UInt8(ascii: "&") { end += 1 }
      let nameEnd = start + name.utf8CodeUnitCount
      if nameEnd <= end, form.equals(name, at: start, end), nameEnd == end || form[nameEnd] == UInt8(ascii: "=") {
        return decode(form.extracting(min(nameEnd + 1, end)..<end))
      }
      start = end + 1
    }
    return nil
  }

  /// Returns all pairs in the order sent; empty parts between two `&` are skipped, and a part without `=` has an empty
  /// value. Returns nil if a name or value cannot be decoded (see `decode`), or if there are more than `limit` pairs.
  package static func pairs(in form: Span<UInt8>, limit: Int = 1_000) -> [(name: String, value: String)]? {
    var found: [(name: String, value: String)] = []
    var start = 0
    while start < form.count {
      var end = start
      while end < form.count, form[end] != UInt8(ascii: "&") { end += 1 }
      var equals = start
      while equals < end, form[equals] != UInt8(ascii: "=") { equals += 1 }
      if end > start {
        guard found.count < limit, let name = decode(form.extracting(start..<equals)),
          let value = decode(form.extracting(min(equals + 1, end)..<end))
        else { return nil }
        found.append((name, value))
      }
      start = end + 1
    }
    return found
  }

  /// Decodes `+` and `%XX`. Returns nil if a `%` is not followed by two hexadecimal digits, or the result is not UTF-8
  /// or has excessive combining marks (`PlainText`).
  package static func decode(_ text: Span<UInt8>) -> String? {
    decode(text, plusIsSpace: true)
  }

  static func decode(_ text: Span<UInt8>, plusIsSpace: Bool) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      let byte = text[index]
      index += 1
      switch byte {
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(ByteClass.space)
      case UInt8(ascii: "%"):
        guard text.count - index >= 2, let high = ByteClass.hexValue(text[index]),
          let low = ByteClass.hexValue(text[index + 1])
        else { return nil }
        bytes.append(high << 4 | low)
        index += 2
      default: bytes.append(byte)
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self), text.isStreamSafe else { return nil }
    return text
  }
}
