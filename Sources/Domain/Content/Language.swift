/// The language of a text, and the choice of a text for a device.
///
/// Tags are BCP 47; a device may also write `ko_KR` or `ko-KR.UTF-8`, as operating systems do. The text is chosen by
/// RFC 4647 §3.4 ("lookup"): `zh-Hant-TW` → `zh-Hant` → `zh` → the text without a language.
package struct Language: Hashable, Sendable {
  /// Lower case, parts separated by hyphens.
  package let tag: String

  /// - Parameter text: a tag as written by a client. Nil when it is not a valid tag.
  package init?(_ text: String) {
    // What follows a full stop or an at sign is an operating system's encoding or variant.
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

  /// The language itself, then each less specific one.
  package var fallbacks: [Language] {
    var parts = tag.split(separator: "-")
    var found: [Language] = []
    while !parts.isEmpty {
      found.append(Language(tag: parts.joined(separator: "-")))
      parts.removeLast()
      // A single-letter subtag only introduces what followed it.
      while let last = parts.last, last.utf8.count == 1 { parts.removeLast() }
    }
    return found
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (97...122).contains(byte | 0x20) }
  private static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || (48...57).contains(byte) }
}

/// A message's texts in order of their languages, and the choice of one by a device's locale.
package struct LanguageTable: Sendable {
  /// Position of each language's text; 0 is the text without a language.
  private let places: [Language: Int]

  package init(_ languages: [Language]) {
    places = Dictionary(languages.enumerated().map { ($1, $0 + 1) }) { first, _ in first }
  }

  package var isEmpty: Bool { places.isEmpty }

  /// Returns the position of the text for a device; 0 when none fits its locale.
  package func place(locale: String) -> Int {
    guard !places.isEmpty, let language = Language(locale) else { return 0 }
    return language.fallbacks.lazy.compactMap { places[$0] }.first ?? 0
  }
}
