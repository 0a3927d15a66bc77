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

  @Test func `each area has a place that the list beside the page leads to`() {
    let areas = Page.areas(of: Document.make())
    #expect(areas.count > 5 && Set(areas.map(\.id)).count == areas.count)
    for area in areas { #expect(Self.page.contains("<section id=\"\(area.id)\"><h2>\(area.text)</h2>"), "\(area)") }
  }

  @Test func `it asks nobody else for anything, and has no script`() {
    #expect(!Self.page.contains("<script") && !Self.page.contains("style=") && !Self.page.contains("<img"))
    for match in Self.page.matches(of: #/(?:src|href)="([^"]*)"/#) {
      #expect(
        match.1.hasPrefix("#") || match.1 == "/openapi.json", "\(match.1)")
    }
  }

  @Test func `what stands in the document is text, never markup`() {
    #expect(Page.escaped(#"<b> & "x""#) == "&lt;b&gt; &amp; &quot;x&quot;")
    #expect(Page.line("`a<b` **c** d") == "<code>a&lt;b</code> <b>c</b> d")
  }
}
