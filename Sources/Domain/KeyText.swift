internal import JSON
internal import PlainText

/// Text from outside that becomes part of keys and is shown: a word of a push network, or of whatever stands between it and
/// us, or what a device says about itself.
package enum KeyText {
  /// The longest documented word of a push network has some forty bytes.
  package static let wordBytes = 100
  /// What is said about a credential. An index takes some 2,700 bytes.
  static let sentenceBytes = 512

  /// The same text, without what no text can hold, and not longer than so many bytes.
  package static func kept(_ text: String, bytes: Int = wordBytes) -> String {
    // Almost always there is nothing to do.
    if text.utf8.count <= bytes, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    // Bounded first: what is written out is longer.
    return String(VisibleText.of(String(text.beginning(bytes: bytes)).streamSafe).beginning(bytes: bytes))
  }
}
