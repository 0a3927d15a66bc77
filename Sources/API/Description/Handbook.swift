/// A page of the handbook: sections of prose, each in both languages of the console.
struct Handbook: Sendable {
  struct Text: Sendable {
    let english: String
    let korean: String

    init(_ english: String, _ korean: String) {
      self.english = english
      self.korean = korean
    }

    func `in`(_ language: Language) -> String { language == .korean ? korean : english }
  }

  enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case korean = "ko"
  }

  enum Block: Sendable {
    case prose(Text)
    case table(head: [Text], rows: [[Text]])
  }

  struct Section: Sendable {
    let title: Text
    let blocks: [Block]
  }

  /// The path below `/docs`; the Korean page has `.ko` after it.
  let name: String
  let title: Text
  let lead: Text
  let sections: [Section]

  static let all: [Handbook] = [.securityModel]

  func path(_ language: Language) -> String { "/docs/\(name)\(language == .korean ? ".ko" : "")" }

  func html(_ language: Language) -> String {
    let other = Language.allCases.first { $0 != language } ?? .english
    var html = """
      <!doctype html>
      <html lang="\(language.rawValue)">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>UPMC: \(Page.escaped(title.in(language)))</title>
      <link rel="stylesheet" href="/docs/page.css">
      </head>
      <body>
      <header><h1>\(Page.escaped(title.in(language)))</h1>
      <p><a href="/docs">\(language == .korean ? "API 문서" : "The API")</a> · \
      <a href="\(path(other))" lang="\(other.rawValue)">\(other == .korean ? "한국어" : "English")</a></p>
      <p>\(Page.line(lead.in(language)))</p></header>
      <main>

      """
    for section in sections {
      html += "<section><h2>\(Page.escaped(section.title.in(language)))</h2>\n"
      for block in section.blocks { html += Self.html(block, language) }
      html += "</section>\n"
    }
    return html + "</main>\n</body>\n</html>\n"
  }

  private static func html(_ block: Block, _ language: Language) -> String {
    switch block {
    case .prose(let text): return "<p>\(Page.line(text.in(language)))</p>\n"
    case .table(let head, let rows):
      func row(_ cells: [Text], _ tag: String) -> String {
        "<tr>" + cells.map { "<\(tag)>\(Page.line($0.in(language)))</\(tag)>" }.joined() + "</tr>\n"
      }
      return "<table>\n" + row(head, "th") + rows.map { row($0, "td") }.joined() + "</table>\n"
    }
  }
}
