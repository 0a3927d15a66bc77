/// The languages of the handbook, and of the console.
package enum HandbookLanguage: String, CaseIterable, Sendable {
  case english = "en"
  case korean = "ko"

  /// Name of the language in that language.
  var name: String { self == .korean ? "한국어" : "English" }

  /// The suffix of file names and paths of pages in this language.
  var suffix: String { self == .korean ? ".ko" : "" }

  func pick<Value>(_ english: Value, _ korean: Value) -> Value { self == .korean ? korean : english }
}
