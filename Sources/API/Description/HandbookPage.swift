package import Markdown

/// One page of the handbook in one language: a Markdown file, rendered.
package struct HandbookPage: Sendable {
  /// `operate`, in either language.
  package let name: String
  package let language: HandbookLanguage
  package let text: Markdown

  /// What stands in a fenced block of this kind is replaced when the page is made; in the file it says how else the same
  /// is shown:
  ///
  ///     ```upmc variables
  ///     upmc serve --help
  ///     ```
  private static let fence = "```upmc "

  /// - Parameters:
  ///   - fileName: `operate.md` or `operate.ko.md`; nil for other names.
  ///   - insertion: Markdown for a block, by its name; nil leaves the block as it is.
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

  /// Files link to each other by their names, so that links work where the repository is read, too.
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
    for line in source.split(separator: "\n", omittingEmptySubsequences: false) {
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
