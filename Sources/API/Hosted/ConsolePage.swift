/// The console's page: parses the file, and produces the page that is sent.
struct ConsolePage {
  /// Name of the style sheet into which all those that the page names are merged.
  static let style = "console.css"

  private let lines: [String]

  init(_ html: String) {
    lines = html.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Paths below `assets/` of the style sheets, in their order.
  var styles: [String] { lines.compactMap(Self.styleSheet) }
  /// Paths below `assets/` of the scripts.
  var modules: [String] { lines.compactMap { Self.asset($0, after: "src=\"") } }

  /// Returns the page with its files under the directory of a version, one style sheet, and preload hints.
  /// - Parameters:
  ///   - modules: paths of the modules that the first page needs.
  ///   - words: paths of catalogues.
  func html(in version: String, _ modules: [String], _ words: [String]) -> [UInt8] {
    var isStyled = false
    var made: [String] = []
    let base = "/assets/\(version)/"
    for line in lines {
      if Self.styleSheet(line) != nil {
        if isStyled { continue }
        isStyled = true
        made.append("  <link rel=\"stylesheet\" href=\"\(base)\(Self.style)\">")
        // Preload the catalogues first: everything waits for them.
        made += words.map { "  <link rel=\"preload\" as=\"fetch\" crossorigin href=\"\(base)\($0)\">" }
        made += modules.map { "  <link rel=\"modulepreload\" href=\"\(base)\($0)\">" }
        continue
      }
      made.append(line.replacing("\"/assets/", with: "\"\(base)"))
    }
    return Array(made.joined(separator: "\n").utf8)
  }

  private static func styleSheet(_ line: String) -> String? {
    line.contains("rel=\"stylesheet\"") ? asset(line, after: "href=\"") : nil
  }

  private static func asset(_ line: String, after mark: String) -> String? {
    guard let found = line.firstRange(of: mark + "/assets/") else { return nil }
    let rest = line[found.upperBound...]
    return rest.firstIndex(of: "\"").map { String(rest[..<$0]) }
  }
}
