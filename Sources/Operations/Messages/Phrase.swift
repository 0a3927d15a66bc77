/// A text in two languages; `%` is replaced by the step's value.
package struct Phrase: Sendable {
  package enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case korean = "ko"

    /// Selects the first supported language in an Accept-Language header (RFC 9110, section 12.5.4). Weights other than
    /// 0 are ignored: clients list their preferred language first.
    package init(accepting header: String?) {
      for part in (header ?? "").split(separator: ",") {
        let pieces = part.split(separator: ";")
        guard let tag = pieces.first?.filter({ $0 != " " }).lowercased() else { continue }
        guard !pieces.dropFirst().contains(where: { $0.filter { $0 != " " } == "q=0" }) else { continue }
        if let known = Self.allCases.first(where: { tag == $0.rawValue || tag.hasPrefix($0.rawValue + "-") }) {
          self = known
          return
        }
      }
      self = .english
    }
  }

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
