internal import JSON

/// A language that samples are written in.
protocol SampleLanguage: Sendable {
  /// As the page names it.
  static var title: String { get }
  /// How the page remembers that a reader chose it.
  static var key: String { get }
  /// The whole program; it prints the answer's status and body.
  static func source(_ call: SampleCall) -> String
}

extension SampleLanguage {
  /// A text in double quotes with the escapes that JSON, Python, JavaScript and Java have in common.
  static func quoted(_ text: String) -> String { String(decoding: JSONTree.text(text).bytes, as: UTF8.self) }

  /// The text, each line but the first moved in by blanks.
  static func indented(_ text: String, by blanks: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: "\n" + String(repeating: " ", count: blanks))
  }
}
