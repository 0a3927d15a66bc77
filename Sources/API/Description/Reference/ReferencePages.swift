internal import JSON

/// The HTML of the reference's pages, and of the list of operations beside them.
extension Reference {
  /// Returns the content of a page as HTML; nil if there is no such page. The empty name is that of the index.
  func body(ofPage slug: String) -> String? {
    if slug.isEmpty { return indexPage }
    if slug == Self.schemas { return schemaPage }
    return areas.first { $0.slug == slug }.map(page)
  }

  /// Returns the HTML list of all operations, by area, that is shown beside a page. It contains a filter that is hidden
  /// until the page's script shows it.
  /// - Parameter slug: name of the page, whose area is expanded.
  func list(besidePage slug: String) -> String {
    var html = """
      <nav class="sections operations" aria-label="\(language.pick("Operations", "API 목록"))">
      <p hidden><label>\(language.pick("Filter", "찾기")) \
      <input type="search" id="filter" autocomplete="off" spellcheck="false"></label> <span role="status"></span></p>
      <ul><li><a href="\(path(""))"\(slug.isEmpty ? " aria-current=\"page\"" : "")>\
      \(language.pick("All areas", "전체 분류"))</a></li></ul>

      """
    for area in areas {
      let name = ReferenceText.escaped(title(area))
      html += "<details\(area.slug == slug ? " open" : "")><summary>\(name)</summary><ul>\n"
      let current = area.slug == slug ? " aria-current=\"page\"" : ""
      html += "<li><a href=\"\(path(area.slug))\"\(current)>\(language.pick("Overview", "개요"))</a></li>\n"
      for operation in area.operations {
        html += """
          <li data-words="\(searched(operation))"><a href="\(path(area.slug))#\(operation.id)">\
          <code>\(operation.method)</code> \(ReferenceText.escaped(title(operation)))</a></li>

          """
      }
      html += "</ul></details>\n"
    }
    let current = slug == Self.schemas ? " aria-current=\"page\"" : ""
    return html
      + "<ul><li><a href=\"\(path(Self.schemas))\"\(current)>\(title(ofPage: Self.schemas))</a></li></ul>\n</nav>\n"
  }

  /// Returns the text that the filter searches, in lower case and escaped: method, path, id, and the title in both
  /// languages, because a reader may know it in only one.
  private func searched(_ operation: Operation) -> String {
    let english = operation.node["summary"]?.string ?? ""
    let own = title(operation)
    let words = [operation.method, operation.path, operation.id, english] + (own == english ? [] : [own])
    return ReferenceText.escaped(words.joined(separator: " ").lowercased())
  }

  // MARK: Index

  private var indexPage: String {
    let info = document["info"]
    var html = """
      <h1>\(title(ofPage: ""))</h1>
      <p\(foreign)>\(ReferenceText.escaped(info?["summary"]?.string ?? "")) Version \
      \(ReferenceText.escaped(info?["version"]?.string ?? "")) of its API, \
      for programs at <a href="/openapi.json">/openapi.json</a>.</p>
      <section\(foreign)>\(ReferenceText.prose(info?["description"]?.string ?? ""))</section>
      <section id="credentials"><h2>\(language.pick("Credentials", "인증"))</h2>
      <p>\(language.pick("Each as", "모두 다음 헤더로 보냅니다:")) <code>Authorization: Bearer …</code></p>
      <dl>

      """
    for (name, scheme) in document["components"]?["securitySchemes"]?.members ?? [] {
      let about = ReferenceText.line(scheme["description"]?.string ?? "")
      html += "<div><dt><code>\(name)</code></dt><dd\(foreign)>\(about)</dd></div>\n"
    }
    html += "</dl></section>\n"
    html += samplesNote
    for area in areas {
      html += """
        <section id="\(Self.formerAnchor(area))"><h2><a href="\(path(area.slug))">\(ReferenceText.escaped(title(area)))</a></h2>
        <div\(foreign)>\(ReferenceText.prose(area.about))</div>
        <ul class="calls">

        """
      for operation in area.operations {
        html += """
          <li id="\(operation.id)" data-words="\(searched(operation))"><a href="\(path(area.slug))#\(operation.id)">\
          \(ReferenceText.escaped(title(operation)))</a> <code><b>\(operation.method)</b> \
          \(ReferenceText.escaped(operation.path))</code></li>

          """
      }
      html += "</ul></section>\n"
    }
    return html + """
      <section id="schemas"><h2><a href="\(path(Self.schemas))">\(title(ofPage: Self.schemas))</a></h2></section>

      """
  }

  /// HTML of the note about the samples: what they need, and which values a reader must replace.
  private var samplesNote: String {
    """
    <section id="samples"><h2>\(language.pick("Samples", "예제"))</h2>
    <p>\(language.pick(
      """
      Each operation has samples for curl, Python 3, Node 18 and Java 17 that need nothing installed beside the language. \
      Put your key in place of <code>YOUR_…</code>, your app in place of <code>com.example.bank</code>, and ids of your own \
      into the variables at the top. <code>upmc key create</code> makes an API key; <code>upmc app create</code> prints the \
      client key; the authKey is in the answer to a registration. Operations that change nothing can be run from their page.
      """,
      """
      API마다 curl, Python 3, Node 18, Java 17 예제가 있으며 언어 외에 따로 설치할 것은 없습니다. <code>YOUR_…</code>에는 키를, \
      <code>com.example.bank</code>에는 앱을, 맨 위 변수에는 실제 번호를 넣으세요. API 키는 <code>upmc key create</code>로 만들고, \
      클라이언트 키는 <code>upmc app create</code>가 출력하며, authKey는 단말 등록 응답에 있습니다. 아무것도 바꾸지 않는 API는 해당 \
      페이지에서 바로 실행할 수 있습니다.
      """))</p>
    </section>

    """
  }

  /// Returns the anchor that an area had when the reference was a single page, so that old links lead to its entry in
  /// the index.
  private static func formerAnchor(_ area: Area) -> String {
    "area-" + area.name.lowercased().map { $0.isLetter ? String($0) : "-" }.joined()
  }

  // MARK: Areas and schemas

  private func page(_ area: Area) -> String {
    var html = """
      <h1>\(ReferenceText.escaped(title(area)))</h1>
      <div\(foreign)>\(ReferenceText.prose(area.about))</div>

      """
    for operation in area.operations {
      var article = ReferenceArticle(self, operation)
      html += article.html()
    }
    return html
  }

  private var schemaPage: String {
    var html = "<h1>\(title(ofPage: Self.schemas))</h1>\n"
    for (name, schema) in document["components"]?["schemas"]?.members ?? [] {
      // Collapsed: a browser opens it when a link leads to an element inside.
      html += "<details><summary>\(name)</summary><article id=\"schema-\(name)\"\(foreign)>\n"
      html += schema["description"]?.string.map(ReferenceText.prose) ?? ""
      var forms = ReferenceForms(self, .linked)
      html += forms.form(schema) + "</article></details>\n"
    }
    return html
  }
}
