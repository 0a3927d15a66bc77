package import Markdown

/// One page of the handbook in one language, rendered from a Markdown file.
package struct HandbookPage: Sendable {
  /// The page's name, such as `operate`, which is the same in both languages.
  package let name: String
  package let language: HandbookLanguage
  package let text: Markdown

  /// Start of a placeholder, a fenced block that is replaced with generated text when the page is rendered. The rest of
  /// its first line is the placeholder's name. Its other lines state, for readers of the file itself, how to get the
  /// same text:
  ///
  ///     ```upmc variables
  ///     upmc serve --help
  ///     ```
  private static let fence = "```upmc "

  /// Renders a file. Returns nil if its name is not that of a page: a name of lower-case letters, digits and hyphens,
  /// followed by `.md` or `.ko.md`.
  /// - Parameters:
  ///   - fileName: for example `operate.md` or `operate.ko.md`.
  ///   - insertion: returns the Markdown for the placeholder of this name, or nil to keep the block as it is.
  init?(fileName: String, source: String, insertion: (String, HandbookLanguage) -> String?) {
    guard let (name, language) = Self.split(fileName) else { return nil }
    self.name = name
    self.language = language
    text = Markdown(Self.filled(source) { insertion($0, language) }, rewriting: Self.path(ofLink:))
  }

  package var path: String { Self.path(name, language) }
  package var title: String { text.headings.first?.text ?? name }

  static func path(_ name: String, _ language: HandbookLanguage) -> String {
    name == "index" && language == .english ? "/docs" : "/docs/\(name)\(language.suffix)"
  }

  /// Returns the target of a link in a rendered page: for the file name of a page, with or without a fragment, the
  /// page's path; any other target unchanged. Files link to each other by file name, so that the links also work in the
  /// repository.
  static func path(ofLink target: String) -> String {
    let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    guard let file = parts.first, let (name, language) = split(String(file)) else { return target }
    return path(name, language) + (parts.count == 2 ? "#\(parts[1])" : "")
  }

  private static func split(_ fileName: String) -> (String, HandbookLanguage)? {
    guard fileName.hasSuffix(".md") else { return nil }
    let stem = fileName.dropLast(3)
    let language: HandbookLanguage = stem.hasSuffix(".ko") ? .korean : .english
    let name = stem.dropLast(language.suffix.count)
    guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }) else {
      return nil
    }
    return (String(name), language)
  }

  private static func filled(_ source: String, _ insertion: (String) -> String?) -> String {
    var lines: [Substring] = []
    var isReplaced = false
    for line in source.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let line = Substring(line)
      if isReplaced {
        isReplaced = !line.hasPrefix("```")
      } else if line.hasPrefix(fence), let inserted = insertion(String(line.dropFirst(fence.count))) {
        lines.append(inserted[...])
        isReplaced = true
      } else {
        lines.append(line)
      }
    }
    return lines.joined(separator: "\n")
  }
}
