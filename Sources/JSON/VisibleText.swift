/// Makes untrusted text safe for terminals and logs: characters that move the cursor, change colors, start a line or
/// change the writing direction are escaped as in a JSON string (RFC 8259 §7), so JSON remains equivalent JSON.
package enum VisibleText {
  /// Returns the text with such characters escaped.
  /// - Parameter keepingLines: true to keep line breaks, for our own multi-line text that quotes untrusted text.
  package static func of(_ text: String, keepingLines: Bool = false) -> String {
    // In nearly all cases nothing needs escaping.
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

  /// Returns true for characters to escape: control characters (C0, DEL, C1), line and paragraph separators,
  /// bidirectional controls and U+FEFF. Line feeds are exempt if `keepingLines`.
  private static func isActive(_ scalar: Unicode.Scalar, _ keepingLines: Bool) -> Bool {
    switch scalar.value {
    case 0x0A: !keepingLines
    case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }
}
