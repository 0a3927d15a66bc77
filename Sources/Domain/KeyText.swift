internal import JSON
internal import PlainText

/// Foreign text that becomes part of keys and is displayed: a reason from a push network or a proxy in front of it, or
/// what a device reports about itself.
package enum KeyText {
  /// The longest documented reason of a push network has about forty bytes.
  package static let wordBytes = 100
  /// For sentences about a credential. An index entry holds about 2,700 bytes.
  static let sentenceBytes = 512

  /// Returns the text without characters that cannot be stored or shown, truncated to `bytes`.
  package static func kept(_ text: String, bytes: Int = wordBytes) -> String {
    // Nearly always nothing needs to be done.
    if text.utf8.count <= bytes, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    // Truncated first, because escaping makes it longer.
    return String(VisibleText.of(String(text.beginning(bytes: bytes)).streamSafe).beginning(bytes: bytes))
  }
}
