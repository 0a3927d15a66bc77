import Testing

@testable import API

/// The page for people.
@Suite struct PageTests {
  private static let page = Page.make(Document.make())

  @Test func `it tells every operation and schema, and every link in it leads somewhere`() {
    for operation in Endpoint.all {
      #expect(Self.page.contains("<article id=\"\(operation.id)\">"), "\(operation.id)")
    }
    for match in Self.page.matches(of: #/href="#([^"]+)"/#) {
      #expect(Self.page.contains("id=\"\(match.1)\""), "\(match.1)")
    }
  }

  @Test func `it asks nobody else for anything, and has no script`() {
    #expect(!Self.page.contains("<script") && !Self.page.contains("style=") && !Self.page.contains("<img"))
    for match in Self.page.matches(of: #/(?:src|href)="([^"]*)"/#) {
      #expect(
        match.1.hasPrefix("#") || ["/openapi.json", "/docs/page.css", "/docs/security"].contains(match.1), "\(match.1)")
    }
  }

  @Test func `what stands in the document is text, never markup`() {
    #expect(Page.escaped(#"<b> & "x""#) == "&lt;b&gt; &amp; &quot;x&quot;")
    #expect(Page.line("`a<b` **c** d") == "<code>a&lt;b</code> <b>c</b> d")
  }

  @Test(arguments: Handbook.all.map(\.name))
  func `a page of the handbook says the same in both languages, and links only to what is there`(_ name: String) throws
  {
    let page = try #require(Handbook.all.first { $0.name == name })
    let known = Set(["/docs", "/docs/page.css"] + Handbook.all.flatMap { [$0.path(.english), $0.path(.korean)] })
    let shapes = Handbook.Language.allCases.map { language in
      let html = page.html(language)
      for match in html.matches(of: #/(?:src|href)="([^"]*)"/#) {
        #expect(known.contains(String(match.1)), "\(match.1)")
      }
      return html.matches(of: #/<(h2|p|tr|td|th)>/#).map { String($0.1) }
    }
    #expect(shapes[0] == shapes[1])
    let korean = page.html(.korean)
    // Every cell and paragraph that says something has words of its own language.
    for match in korean.matches(of: #/<(?:p|td|th|h2)>([^\n]*?)<\/(?:p|td|th|h2)>/#) {
      let text = match.1.replacing(#/<code>.*?<\/code>|<[^>]*>/#, with: "")
      #expect(
        text.filter(\.isLowercase).count < 8 || text.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) },
        "\(match.1)")
    }
  }
}
