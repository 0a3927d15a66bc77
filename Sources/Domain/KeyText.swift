internal import JSON
internal import PlainText

/// Sanitizes untrusted text that is stored in keys and displayed: the reason that a push network or a proxy gives, or
/// an attribute that a device reports.
package enum KeyText {
  /// Default maximum length in bytes: the longest documented reason of a push network has about 40.
  package static let wordBytes = 100
  /// Maximum length of sentences about a credential in bytes; an index entry can hold about 2,700.
  static let sentenceBytes = 512

  /// Returns the text with control characters and the like escaped (`\u0000`) and with surplus combining marks
  /// replaced, shortened to at most `bytes` of UTF-8.
  package static func kept(_ text: String, bytes: Int = wordBytes) -> String {
    // In nearly all cases nothing needs to be changed.
    if text.utf8.count <= bytes, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    // Shorten before escaping, which makes the text longer.
    return String(VisibleText.of(String(text.beginning(bytes: bytes)).streamSafe).beginning(bytes: bytes))
  }
}
