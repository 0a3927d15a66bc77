import HTTPServer
import JSON
import Testing

@testable import API

/// The pages of the API reference.
@Suite struct PageTests {
  private static let document = Document.make()
  private static let reference = Reference(document, .english, words: nil)
  private static let pages = Dictionary(
    uniqueKeysWithValues: Reference.slugs.map { (Reference.path($0, .english), reference.body(ofPage: $0) ?? "") })

  @Test func `every operation stands on the page of its area and leads there from the index and the list`() {
    let list = Self.reference.list(besidePage: "control")
    for endpoint in Endpoint.all {
      let path = Reference.path(endpoint.area.slug, .english)
      #expect(Self.pages[path]?.contains("<article id=\"\(endpoint.id)\">") == true, "\(endpoint.id)")
      let link = "href=\"\(path)#\(endpoint.id)\""
      let words = "data-words=\"\(endpoint.method.rawValue.lowercased()) \(endpoint.pattern.lowercased()) "
      #expect(list.contains(link) && list.contains(words), "\(endpoint.id)")
      #expect(Self.pages["/docs/api"]?.contains("<li id=\"\(endpoint.id)\" \(words)") == true, "\(endpoint.id)")
    }
  }

  @Test func `every link leads to a page and to a place on it, and no id is there twice`() throws {
    for (path, page) in Self.pages {
      let ids = page.matches(of: #/ id="([^"]+)"/#).map { String($0.1) }
      #expect(Set(ids).count == ids.count, "\(path)")
      for match in page.matches(of: #/(?:src|href)="([^"]*)"/#) where match.1 != "/openapi.json" {
        let parts = match.1.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
        let target = try #require(Self.pages[parts[0].isEmpty ? path : parts[0]], "\(path): \(match.1)")
        if parts.count > 1 { #expect(target.contains(" id=\"\(parts[1])\""), "\(path): \(match.1)") }
      }
    }
  }

  @Test func `addresses of the time when the reference was one page still lead somewhere`() {
    let index = Self.pages["/docs/api"] ?? ""
    let places = ["sendMessage", "area-receipts-and-reads", "area-webhook-events", "credentials", "schemas"]
    for place in places {
      #expect(index.contains(" id=\"\(place)\""), "\(place)")
    }
  }

  @Test func `no page is large, and none has a script or a style of its own`() {
    for (path, page) in Self.pages {
      #expect(page.utf8.count < 600_000, "\(path): \(page.utf8.count)")
      #expect(!page.contains("<script") && !page.contains("style=") && !page.contains("<img"), "\(path)")
    }
  }

  @Test func `each kind of event stands on its page with its data and an example`() throws {
    let page = try #require(Self.reference.body(ofPage: WebhookSection.slug))
    for (kind, item) in Self.document["webhooks"]?.members ?? [] {
      let content = item["post"]?["requestBody"]?["content"]?["application/json"]
      let id = item["post"]?["operationId"]?.string ?? ""
      let article = try #require(page.split(separator: "<article id=\"\(id)\">").dropFirst().first, "\(kind)")
      let data = content?["schema"]?["$ref"]?.string?.split(separator: "/").last ?? ""
      #expect(article.contains("<summary>\(data)</summary>"), "\(kind)")
      let example = try #require(content?["example"])
      #expect(article.contains(ReferenceText.block(example.pretty())), "\(kind)")
    }
  }

  @Test func `what changes something has no form that runs it`() {
    for page in Self.pages.values {
      for article in page.split(separator: "<article ").dropFirst() where article.contains("<details class=\"run\"") {
        #expect(article.contains("<code><b>GET</b>"), "\(article.prefix(60))")
      }
    }
    #expect(Self.pages["/docs/api/messages"]?.contains("data-path=\"/v1/admin/messages/{seqno}\"") == true)
  }

  @Test func `what stands in the document is text, never markup`() {
    #expect(ReferenceText.escaped(#"<b> & "x""#) == "&lt;b&gt; &amp; &quot;x&quot;")
    #expect(ReferenceText.line("`a<b` **c** d") == "<code>a&lt;b</code> <b>c</b> d")
  }
}
