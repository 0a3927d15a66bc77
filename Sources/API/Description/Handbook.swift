internal import FoundationEssentials
internal import JSON
internal import Markdown
internal import Reactor

/// The handbook: the Markdown files in `Public/docs` as HTML pages. Pages are rendered once, when the server starts;
/// those of the API reference at each call of `reference`.
package struct Handbook: Sendable {
  package let pages: [HandbookPage]
  /// Complete HTML pages by path; the index also with a trailing slash and as `/docs/index`.
  let files: [String: String]
  /// Korean titles of the API reference; nil if there are none, and the reference is available in English only.
  let words: ReferenceWords?
  /// Script of the API reference; nil if its file does not exist.
  let script: [UInt8]?
  /// Files that have been requested (pages, style sheet, script, OpenAPI document), ready to be sent. Copies of a
  /// handbook share them.
  let prepared = PreparedFiles()

  /// Reads and renders the pages.
  /// - Parameters:
  ///   - directory: path of the handbook's files. If it is nil or does not exist, there are no pages.
  ///   - insertion: returns Markdown for a placeholder, or nil to keep the placeholder; see `HandbookPage`. Not called
  ///     for placeholders of existing programs.
  package init(
    directory: String?, insertion: (String, HandbookLanguage) -> String? = { _, _ in nil }
  ) {
    let names = directory.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
    pages = names.sorted().compactMap { name in
      guard name.hasSuffix(".md"), let bytes = RegularFile.open(path: "\(directory ?? "")/\(name)")?.read() else {
        return nil
      }
      return HandbookPage(fileName: name, source: String(decoding: bytes, as: UTF8.self)) { block, language in
        Self.program(block, in: directory) ?? insertion(block, language)
      }
    }
    words = directory.flatMap(ReferenceWords.init(directory:))
    script = directory.flatMap { RegularFile.open(path: "\($0)/reference.js")?.read() }
    var files: [String: String] = [:]
    let (english, korean) = (HandbookContents(pages, .english), HandbookContents(pages, .korean))
    for page in pages {
      files[page.path] = Self.html(page, among: pages, page.language.pick(english, korean))
    }
    // Also accept other paths of the index.
    if let index = files["/docs"] {
      files["/docs/"] = index
      files["/docs/index"] = index
    }
    self.files = files
  }

  /// Returns the file `programs/NAME` as a fenced block of Markdown, to replace the placeholder `program NAME`. So
  /// readers copy a program that a test runs. Nil for other placeholders, and if the file does not exist.
  private static func program(_ block: String, in directory: String?) -> String? {
    let words = block.split(separator: " ")
    guard words.count == 2, words[0] == "program", !words[1].contains("/"),
      let bytes = RegularFile.open(path: "\(directory ?? "")/programs/\(words[1])")?.read()
    else { return nil }
    let ending = words[1].split(separator: ".").last ?? ""
    let language = ["py": "python", "java": "java", "mjs": "js"][ending] ?? ""
    return "```\(language)\n\(String(decoding: bytes, as: UTF8.self))```"
  }

  private static func html(_ page: HandbookPage, among pages: [HandbookPage], _ contents: HandbookContents) -> String {
    let other = pages.first { $0.name == page.name && $0.language != page.language }
    let frame = HandbookFrame(
      contents: contents, language: page.language, path: page.path,
      translation: other.map { ($0.path, $0.language) })
    return frame.html(
      title: page.title, body: reachable(page.text.html),
      sections: page.text.headings.filter { $0.level == 2 }.map { ($0.id, $0.text) })
  }

  /// Returns the HTML with all preformatted blocks and tables made focusable, so that the keyboard can scroll them.
  /// Reads the bytes once, because every server does this for all pages when it starts.
  private static func reachable(_ html: String) -> String {
    let tags = [Array("<pre>".utf8), Array("<table>".utf8)]
    let attribute = Array(" tabindex=\"0\"".utf8)
    let bytes = Array(html.utf8)
    let opening = UInt8(ascii: "<")
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 4_096)
    var written = 0
    var index = 0
    while index < bytes.count {
      // The third byte alone rules out most other tags.
      if bytes[index] == opening, index + 2 < bytes.count,
        let tag = tags.first(where: { $0[2] == bytes[index + 2] && bytes[index...].starts(with: $0) })
      {
        index += tag.count - 1
        result += bytes[written..<index]
        result += attribute
        written = index
      }
      index += 1
    }
    result += bytes[written...]
    return String(decoding: result, as: UTF8.self)
  }

  /// The pages of the API reference by path, in all languages in which it is available.
  var referencePaths: [String: (slug: String, language: HandbookLanguage)] {
    var paths: [String: (String, HandbookLanguage)] = [:]
    for language in HandbookLanguage.allCases where language == .english || words != nil {
      for slug in Reference.slugs { paths[Reference.path(slug, language)] = (slug, language) }
    }
    return paths
  }

  /// Returns the HTML of a page of the API reference in the handbook's layout; nil if there is no such page.
  /// - Parameters:
  ///   - slug: the page's name, empty for the index.
  ///   - document: the OpenAPI document.
  func reference(_ slug: String, _ language: HandbookLanguage, of document: JSONTree) -> String? {
    let reference = Reference(document, language, words: words)
    guard let body = reference.body(ofPage: slug) else { return nil }
    let other = language.pick(HandbookLanguage.korean, .english)
    return HandbookFrame(
      contents: HandbookContents(pages, language), language: language, path: reference.path(slug),
      translation: words == nil ? nil : (Reference.path(slug, other), other)
    ).html(
      title: reference.title(ofPage: slug), body: body, sections: [], index: reference.list(besidePage: slug),
      script: script == nil ? nil : Self.scriptPath)
  }

  static let scriptPath = "/docs/reference.js"
}
