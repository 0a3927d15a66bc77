/// The languages of the handbook, and of the console.
package enum HandbookLanguage: String, CaseIterable, Sendable {
  case english = "en"
  case korean = "ko"

  /// As its readers call it.
  var name: String { self == .korean ? "한국어" : "English" }

  /// What a file's name and a page's path have behind the page's name.
  var suffix: String { self == .korean ? ".ko" : "" }

  func pick(_ english: String, _ korean: String) -> String { self == .korean ? korean : english }
}
