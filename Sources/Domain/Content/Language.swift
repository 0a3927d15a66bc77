/// The language of a text, and the choice of the text for a device.
///
/// Tags are BCP 47; devices may also report `ko_KR` or `ko-KR.UTF-8`, as operating systems do. The text is chosen by
/// RFC 4647 §3.4 ("lookup"): `zh-Hant-TW` → `zh-Hant` → `zh` → the text without a language.
package struct Language: Hashable, Sendable {
  /// The tag in lower case, with its parts separated by hyphens, without the encoding or variant that operating systems
  /// append.
  package let tag: String

  /// Parses a language tag.
  /// - Parameter text: a tag as sent by a client. What follows a full stop or an at sign is ignored.
  /// - Returns: nil if the text is not a valid tag: 1 to 8 parts of 1 to 8 letters and digits, of which the first has 2
  ///   to 8 letters only.
  package init?(_ text: String) {
    // Ignore an encoding or variant, which operating systems append after a full stop or an at sign.
    let plain = text.prefix { $0 != "." && $0 != "@" }
    let parts = plain.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
    guard let first = parts.first, (2...8).contains(first.utf8.count), first.utf8.allSatisfy(Self.isLetter),
      parts.count <= Self.mostParts,
      parts.allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isLetterOrDigit) })
    else { return nil }
    tag = parts.joined(separator: "-").lowercased()
  }

  private init(tag: String) {
    self.tag = tag
  }

  private static let mostParts = 8

  /// This language, followed by each less specific one: `zh-hant-tw`, `zh-hant`, `zh`.
  package var fallbacks: [Language] {
    var parts = tag.split(separator: "-")
    var found: [Language] = []
    while !parts.isEmpty {
      found.append(Language(tag: parts.joined(separator: "-")))
      parts.removeLast()
      // A single-letter subtag is meaningless without the subtags that followed it.
      while let last = parts.last, last.utf8.count == 1 { parts.removeLast() }
    }
    return found
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
  private static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || (48...57).contains(byte) }
}

/// The languages of a message's texts, one of which is chosen by a device's locale.
package struct LanguageTable: Sendable {
  /// Index of each language's text, from 1; the text without a language has index 0.
  private let places: [Language: Int]

  package init(_ languages: [Language]) {
    places = Dictionary(languages.enumerated().map { ($1, $0 + 1) }) { first, _ in first }
  }

  package var isEmpty: Bool { places.isEmpty }

  /// Returns the index of the text for a device, chosen as `Language` describes; 0 if none matches its locale, or if
  /// the locale is not a valid tag.
  package func place(locale: String) -> Int {
    guard !places.isEmpty, let language = Language(locale) else { return 0 }
    return language.fallbacks.lazy.compactMap { places[$0] }.first ?? 0
  }
}
