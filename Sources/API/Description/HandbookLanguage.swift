/// A language of the handbook and the API reference.
package enum HandbookLanguage: String, CaseIterable, Sendable {
  case english = "en"
  case korean = "ko"

  /// Name of the language in the language itself.
  var name: String { self == .korean ? "한국어" : "English" }

  /// The suffix of paths of pages in this language, and of their file names before the extension.
  var suffix: String { self == .korean ? ".ko" : "" }

  func pick<Value>(_ english: Value, _ korean: Value) -> Value { self == .korean ? korean : english }
}
