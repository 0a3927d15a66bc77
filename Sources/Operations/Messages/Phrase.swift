package import Domain

/// A text in English and Korean. Each `%` is replaced by the value that is passed to `text`.
package struct Phrase: Sendable {
  package typealias Language = SpokenLanguage

  let english: String
  let korean: String

  init(_ english: String, _ korean: String) {
    self.english = english
    self.korean = korean
  }

  func text(_ language: Language, _ value: String = "") -> String {
    (language == .english ? english : korean).replacing("%", with: value)
  }
}
