/// Decodes percent-encoded text in settings, which becomes part of a header.
package enum PercentText {
  /// Decodes a text; returns nil for an invalid escape, invalid UTF-8, or a control character.
  package static func decode(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }
}
