import FoundationEssentials
import HTTPServer
import Markdown
import Reactor
import Testing

@testable import API
@testable import Server

/// The handbook as it is delivered: the files of `Public/docs`.
@Suite struct HandbookTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
  private static let directory = root.appending(path: "Public/docs").path
  private static let book = Handbook(directory: directory, insertion: Configuration.insertion)

  private static let paths = book.pages.map(\.path)
  /// Those that exist in both languages.
  private static let translated = Set(book.pages.map(\.name)).sorted().filter { name in
    book.pages.filter { $0.name == name }.count == 2
  }

  private static func page(_ path: String) throws -> HandbookPage {
    try #require(book.pages.first { $0.path == path })
  }

  @Test func `every file is a page, and operators and integrators find theirs in both languages`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.directory).filter { $0.hasSuffix(".md") }
    #expect(files.count == Self.book.pages.count)
    #expect(Self.paths.contains("/docs"))
    #expect(Self.translated == Set(Self.book.pages.map(\.name)).sorted())
  }

  @Test(arguments: paths) func `a link of a page leads to a page, and to a heading that is there`(_ path: String) throws
  {
    let page = try Self.page(path)
    var known = Set(Self.book.files.keys).union(["/docs/api", "/docs/api.ko", "/openapi.json"])
    known.formUnion(Self.paths)
    for link in page.text.links where link.target.prefixMatch(of: #/[a-z]+:/#) == nil {
      let target = HandbookPage.path(ofLink: link.target)
      let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let place = parts[0].isEmpty ? path : parts[0]
      #expect(known.contains(place), "\(link.target)")
      guard parts.count == 2 else { continue }
      let ids = Self.book.pages.first { $0.path == place }?.text.headings.map(\.id) ?? []
      #expect(ids.contains(parts[1]), "\(link.target)")
    }
  }

  @Test(arguments: paths) func `a page has no HTML of its own, and asks nobody else for anything`(_ path: String) throws
  {
    #expect(try Self.page(path).text.rawHTML == [])
    let html = try #require(Self.book.files[path])
    for word in ["<script", "style=\"", "<img", "<iframe", "src=\"", "raw HTML omitted"] {
      #expect(!html.contains(word), "\(word)")
    }
    #expect(html.matches(of: #/<h1[ >]/#).count == 1)
    // `**` that a letter follows closes nothing behind a mark: it would be shown.
    #expect(!html.contains("**"), "emphasis that is none")
    let ids = html.matches(of: #/ id="([^"]+)"/#).map { String($0.1) }
    #expect(Set(ids).count == ids.count, "an id occurs twice")
    for link in html.matches(of: #/<link [^>]*href="([^"]+)"/#) { #expect(link.1 == "/docs/page.css") }
  }

  @Test func `each block and each table can be scrolled by keyboard, and the rest is as it was rendered`() throws {
    let plain = try Self.page("/docs/send").text.html
    #expect(plain.contains("<pre>") && plain.contains("<table>"))
    let reachable = plain.replacing("<pre>", with: "<pre tabindex=\"0\">")
      .replacing("<table>", with: "<table tabindex=\"0\">")
    #expect(try #require(Self.book.files["/docs/send"]).contains(reachable))
  }

  @Test(arguments: translated) func `both languages of a page have the same parts`(_ name: String) throws {
    func shape(_ language: HandbookLanguage) throws -> [String] {
      try Self.page(HandbookPage.path(name, language)).text.html
        .matches(of: #/<(h[1-6]|tr|td|th|pre|li)[ >]/#).map { String($0.1) }
    }
    #expect(try shape(.english) == shape(.korean))
  }

  /// Every heading, paragraph and cell that says something has words of its own language.
  @Test(arguments: translated) func `a Korean page is in Korean`(_ name: String) throws {
    let html = try Self.page(HandbookPage.path(name, .korean)).text.html
    for match in html.matches(of: #/<(p|h2|h3|td|th|li)(?: [^>]*)?>((?s).*?)<\/\1>/#) {
      let text = match.2.replacing(#/<code>(?s).*?<\/code>|<[^>]*>/#, with: "")
      let isKorean = text.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) }
      #expect(text.filter(\.isLowercase).count < 40 || isKorean, "\(text)")
    }
  }

  @Test func `a page shows all pages, its own parts and the other language`() throws {
    let html = try #require(Self.book.files["/docs/operate.ko"])
    #expect(html.contains("<html lang=\"ko\">"))
    #expect(html.contains("<a href=\"/docs/operate\" lang=\"en\" hreflang=\"en\">English</a>"))
    #expect(html.contains("<a href=\"/docs/operate.ko\" aria-current=\"page\">"))
    #expect(html.contains("<a href=\"/docs/security.ko\">") && html.contains("<a href=\"/docs/api.ko\">"))
    #expect(html.contains("<li><a href=\"#"))
    // Every page can be reached from every other one, in one language at least.
    for name in Set(Self.book.pages.map(\.name)).subtracting(["index"]) {
      #expect(html.contains("<a href=\"/docs/\(name)\"") || html.contains("<a href=\"/docs/\(name).ko\""), "\(name)")
    }
  }

  @Test(arguments: HandbookLanguage.allCases)
  func `the operator's page says of each variable what it means, once`(_ language: HandbookLanguage) throws {
    let html = try Self.page(HandbookPage.path("operate", language)).text.html
    let rows = html.matches(of: #/<tr>\n<td><code>(UPMC_[A-Z_]+)<\/code><\/td>/#).map { String($0.1) }
    #expect(rows == Configuration.variables.map(\.name))
    #expect(Set(rows).count == rows.count)
    for variable in Configuration.variables {
      #expect(!variable.meaning.isEmpty && variable.korean.unicodeScalars.contains { $0.value >= 0xAC00 })
    }
  }

  @Test(arguments: HandbookLanguage.allCases)
  func `the operator's page has a row for each alert, with its severity`(_ language: HandbookLanguage) throws {
    let rules = try String(contentsOf: Self.root.appending(path: "Public/operations/alerts.yml"), encoding: .utf8)
    let alerts = rules.matches(of: #/- alert: (\w+)(?s).*?severity: (\w+)/#).map { "\($0.1) (\($0.2))" }
    try #require(alerts.count > 10)
    let html = try Self.page(HandbookPage.path("operate", language)).text.html
    let rows = html.matches(of: #/<td><code>(UPMC[A-Za-z]+)<\/code> \((\w+)\)<\/td>/#).map { "\($0.1) (\($0.2))" }
    #expect(rows == alerts)
  }

  /// Reports of what the handbook calls and the API does not have.
  @Test(arguments: paths) func `a call that a page names is one of the API`(_ path: String) throws {
    let patterns = Set(Endpoint.all.map { "\($0.method.rawValue) \($0.pattern)" })
    for match in try Self.page(path).text.html.matches(of: #/(GET|POST|PUT|PATCH|DELETE) (\/v1\/[A-Za-z\/{}-]+)/#) {
      #expect(patterns.contains(String(match.0)), "\(match.0)")
    }
  }

  @Test func `the source for Android is 150 lines long at most, one in both languages, and makes calls of the API`()
    throws
  {
    func source(_ language: HandbookLanguage) throws -> String {
      let name = "/android" + (language == .korean ? ".ko" : "") + ".md"
      let text = try String(contentsOfFile: Self.directory + name, encoding: .utf8)
      let match = try #require(try #/```kotlin\n((?s).*?)```/#.firstMatch(in: text))
      return String(match.1)
    }
    let kotlin = try source(.english)
    #expect(try source(.korean) == kotlin)
    #expect(kotlin.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 150)
    // A receipt without a token has all that are sent with it refused, each time.
    #expect(!kotlin.contains(#"getString("token", "")"#))
    // Languages, local times and quiet hours follow what the device says of itself.
    #expect(kotlin.contains(#".put("locale", "#) && kotlin.contains(#".put("timeZone", "#))
    // A clock that is set back must not make it wait for as long.
    #expect(!kotlin.contains("currentTimeMillis"))
    // The answer that names the user's key can be lost: then the former key has ended.
    #expect(kotlin.contains("if (answer.status == 401) return register("))
    let patterns = Set(Endpoint.all.map { "\($0.method.rawValue) \($0.pattern)" })
    var calls = kotlin.matches(of: #/ call\("([A-Z]+)", "([^"]+)"/#).map { "\($0.1) \($0.2)" }
    calls += kotlin.matches(of: #/ device\("([A-Z]+)", "([^"]*)"/#).map { "\($0.1) /v1/devices/{device}\($0.2)" }
    #expect(Set(calls).count == 8)
    for call in calls {
      let names = call.hasSuffix("$list") ? ["receipts", "reads"] : [""]
      for name in names {
        let written = call.replacing("$list", with: name).replacing("$group", with: "{groupSeq}")
        #expect(patterns.contains(written), "\(call)")
      }
    }
  }

  @Test func `variables that pages and examples name are variables`() throws {
    let known = Set(Configuration.variables.map(\.name))
    for page in Self.book.pages {
      for match in page.text.html.matches(of: #/UPMC_[A-Z][A-Z_]*[A-Z]/#) {
        #expect(known.contains(String(match.0)), "\(page.path): \(match.0)")
      }
    }
  }

  @Test func `a server serves every page with the strict policy, and says 304 to who has it`() throws {
    let root = Self.root.path
    let world = try World(server: { $0.publicDirectory = root + "/Public" })
    for path in Self.paths + ["/docs/", "/docs/page.css", Handbook.scriptPath] + Self.book.referencePaths.keys {
      let answer = try RawHTTP(port: world.server.address.port, "GET \(path) HTTP/1.1\n")
      #expect(answer.status == 200, "\(path)")
      #expect(answer.headers["content-security-policy"]?.hasPrefix("default-src 'none'; style-src 'self'") == true)
      let tag = try #require(answer.headers["etag"])
      #expect(try world.client.call("GET", path, headers: [("If-None-Match", tag)]).status == 304, "\(path)")
    }
    #expect(try world.client.call("GET", "/docs/nothing").status == 404)
    #expect(try world.client.call("POST", "/docs/operate").status == 405)
    let reference = try world.client.call("GET", "/docs/api").text
    #expect(reference.contains("<li id=\"registerDevice\"") && reference.contains("<a href=\"/docs/operate\">"))
  }

  @Test func `every area and operation of the reference has a Korean title, and no other has one`() throws {
    let words = try #require(Self.book.words).texts
    let reference = Reference(Document.make(), .english, words: nil)
    let wanted = reference.areas.flatMap { area in
      ["area.\(area.slug)"] + area.operations.map { "operation.\($0.id)" }
    }
    #expect(Set(words.keys).subtracting(wanted).sorted() == [], "titles of what is not there")
    #expect(Set(wanted).subtracting(words.keys).sorted() == [], "titles that are missing")
    for (name, text) in words {
      #expect(text.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) }, "\(name): \(text)")
    }
    let file = try String(contentsOfFile: Self.directory + "/reference.ko.json", encoding: .utf8)
    let keys = file.matches(of: #/^  "([^"]+)":/#.anchorsMatchLineEndings()).map { String($0.1) }
    #expect(keys == keys.sorted() && keys.count == words.count)
  }

  @Test func `a server without the handbook's files shows its API instead`() throws {
    let world = try World()
    let answer = try world.client.call("GET", "/docs")
    #expect(answer.status == 200 && answer.text.contains("<li id=\"registerDevice\""))
  }
}
