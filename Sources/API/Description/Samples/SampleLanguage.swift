internal import JSON

/// A programming language in which samples are generated.
protocol SampleLanguage: Sendable {
  /// Name of the language as shown on the page.
  static var title: String { get }
  /// Key under which the page stores the reader's choice of this language.
  static var key: String { get }
  /// Returns the complete sample of a call: a program that prints the response's status and body, or for curl a shell
  /// command that prints the body.
  static func source(_ call: SampleCall) -> String
}

extension SampleLanguage {
  /// Returns the text as a string literal in double quotes, with the escapes that JSON, Python, JavaScript and Java
  /// have in common.
  static func quoted(_ text: String) -> String { String(decoding: JSONTree.text(text).bytes, as: UTF8.self) }

  /// Returns the text with each line but the first indented by `blanks` spaces.
  static func indented(_ text: String, by blanks: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: "\n" + String(repeating: " ", count: blanks))
  }
}
