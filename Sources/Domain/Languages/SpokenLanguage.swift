/// A language of the server's own sentences. Messages may be in any language (`Language`).
package enum SpokenLanguage: String, CaseIterable, Sendable {
  case english = "en"
  case korean = "ko"

  /// Selects the language with the highest weight in an Accept-Language header (RFC 9110 §12.5.4), and the first of
  /// several with the same weight. English if the header is absent or names no supported language.
  package init(accepting header: String?) {
    var best: (language: Self, weight: Double)?
    for range in (header ?? "").split(separator: ",") {
      let pieces = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
      guard let tag = pieces.first, let language = Self(tag: tag) else { continue }
      let weight = pieces.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if weight > best?.weight ?? 0 { best = (language, weight) }
    }
    self = best?.language ?? .english
  }

  /// Returns the language of a range; nil if it is not supported.
  /// - Parameter tag: a language range in lower case, such as `ko-kr`.
  private init?(tag: String) {
    let primary = tag.prefix { $0 != "-" }
    guard let language = Self(rawValue: String(primary)) ?? (tag == "*" ? .english : nil) else { return nil }
    self = language
  }
}

extension Sentence {
  /// Returns the sentence in `language`, or in English if the catalog has no such template.
  package func text(in language: SpokenLanguage) -> String {
    switch language {
    case .english: english
    case .korean: KoreanParticles.settled(filled(KoreanSentences.byTemplate[template]) { $0.text(in: .korean) })
    }
  }
}
