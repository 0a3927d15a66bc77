/// The layout around each page of the handbook and the API reference: a link to the other language, a list of all
/// pages, and a list of the current page's sections.
struct HandbookFrame {
  let contents: HandbookContents
  let language: HandbookLanguage
  /// Path of the current page.
  let path: String
  /// Path and language of the same page in the other language; nil if there is none.
  let translation: (path: String, language: HandbookLanguage)?

  /// Returns the complete HTML page.
  /// - Parameters:
  ///   - title: the page's title as plain text.
  ///   - body: the page's content as HTML.
  ///   - sections: the headings to list beside the page, if there are at least two.
  ///   - index: HTML to show in place of the list of sections; nil to show the list.
  ///   - script: URL of the page's script; nil for none.
  func html(
    title: String, body: String, sections: [(id: String, text: String)], index: String? = nil, script: String? = nil
  ) -> String {
    """
    <!doctype html>
    <html lang="\(language.rawValue)">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(ReferenceText.escaped(title)) · UPMC</title>
    <link rel="stylesheet" href="/docs/page.css">
    \(script.map { "<script src=\"\($0)\" defer></script>\n" } ?? "")</head>
    <body>
    <a class="skip" href="#main">\(language.pick("To the content", "본문으로 가기"))</a>
    <header><a href="\(HandbookPage.path("index", language))">\(language.pick("UPMC handbook", "UPMC 안내서"))</a>\(languages)</header>
    <div class="book">
    \(index ?? beside(sections))<main id="main" tabindex="-1">
    \(body)</main>
    \(pages)</div>
    </body>
    </html>

    """
  }

  private var languages: String {
    guard let translation else { return "" }
    let code = translation.language.rawValue
    return " <a href=\"\(translation.path)\" lang=\"\(code)\" hreflang=\"\(code)\">\(translation.language.name)</a>"
  }

  private var pages: String {
    guard !contents.groups.isEmpty else { return "" }
    var html = "<nav class=\"pages\" aria-label=\"\(language.pick("Handbook", "안내서"))\">\n"
    for group in contents.groups {
      if !group.title.isEmpty { html += "<p>\(ReferenceText.escaped(group.title))</p>\n" }
      html += "<ul>\n"
      for entry in group.entries {
        let current = entry.path == path ? " aria-current=\"page\"" : isAbove(entry) ? " aria-current=\"true\"" : ""
        let foreign = entry.language == language ? "" : " lang=\"\(entry.language.rawValue)\""
        html += "<li><a href=\"\(entry.path)\"\(current)\(foreign)>\(ReferenceText.escaped(entry.text))</a></li>\n"
      }
      html += "</ul>\n"
    }
    return html + "</nav>\n"
  }

  /// Returns whether the current page belongs to the API reference and the entry is the reference's index.
  private func isAbove(_ entry: HandbookContents.Entry) -> Bool {
    HandbookContents.isReference(entry.path) && path.hasPrefix("\(Reference.path("", .english))/")
  }

  private func beside(_ sections: [(id: String, text: String)]) -> String {
    guard sections.count > 1 else { return "" }
    let rows = sections.map { "<li><a href=\"#\($0.id)\">\(ReferenceText.escaped($0.text))</a></li>\n" }.joined()
    return """
      <nav class="sections" aria-label="\(language.pick("On this page", "이 페이지의 내용"))">
      <ul>
      \(rows)</ul>
      </nav>

      """
  }
}
