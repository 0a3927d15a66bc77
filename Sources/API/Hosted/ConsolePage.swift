/// The console's `index.html`, and the page that is made from it. In `index.html`, each style sheet and script must
/// have a line of its own.
struct ConsolePage {
  /// Name of the one style sheet that replaces those of `index.html`. It contains all of them.
  static let style = "console.css"

  private let lines: [String]

  init(_ html: String) {
    lines = html.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Paths of the style sheets below `assets/`, in the order of the page.
  var styles: [String] { lines.compactMap(Self.styleSheet) }
  /// Paths of the scripts below `assets/`, in the order of the page.
  var modules: [String] { lines.compactMap { Self.asset($0, after: "src=\"") } }

  /// Returns the HTML to send: all files are below the directory of the version, one style sheet replaces all others,
  /// and hints preload further files. If `index.html` has no style sheet, the page has no hints.
  /// - Parameters:
  ///   - modules: paths below `assets/` of the modules to preload.
  ///   - words: paths below `assets/` of the translations to preload, which come first.
  func html(in version: String, _ modules: [String], _ words: [String]) -> [UInt8] {
    var isStyled = false
    var made: [String] = []
    let base = "/assets/\(version)/"
    for line in lines {
      if Self.styleSheet(line) != nil {
        if isStyled { continue }
        isStyled = true
        made.append("  <link rel=\"stylesheet\" href=\"\(base)\(Self.style)\">")
        // Preload the translations first, because the console shows nothing without them.
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
