/// Text of others on a terminal or in a log: what would move the cursor, colour the screen, begin a line or turn the
/// direction of reading is written out, as JSON writes it in a string (RFC 8259 §7). So JSON stays the same JSON.
package enum VisibleText {
  /// - Parameter keepingLines: line breaks stay, for text of several lines that is our own but for what it quotes.
  package static func of(_ text: String, keepingLines: Bool = false) -> String {
    // Almost always there is nothing to do.
    guard text.unicodeScalars.contains(where: { isActive($0, keepingLines) }) else { return text }
    var visible = ""
    for scalar in text.unicodeScalars {
      if isActive(scalar, keepingLines) {
        let digits = String(scalar.value, radix: 16)
        visible += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      } else {
        visible.unicodeScalars.append(scalar)
      }
    }
    return visible
  }

  /// Control characters (C0, DEL, C1), separators of lines and paragraphs, and what turns the direction of reading.
  private static func isActive(_ scalar: Unicode.Scalar, _ keepingLines: Bool) -> Bool {
    switch scalar.value {
    case 0x0A: !keepingLines
    case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }
}
