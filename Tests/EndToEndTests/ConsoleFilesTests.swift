import Foundation
import TestSupport
import Testing

@testable import Server

/// How the console reaches a browser: in few steps, small, and once.
@Suite struct ConsoleFilesTests {
  private static let source = FileManager.default.currentDirectoryPath + "/Public"

  private func world(_ directory: String = source) throws -> World {
    try World(server: { $0.publicDirectory = directory })
  }

  /// All paths below `/assets/` that a page names.
  private func named(_ page: String) -> [String] {
    page.matches(of: /(?:href|src)="(\/assets\/[^"]+)"/).map { String($0.1) }
  }

  private func base(_ page: String) throws -> String {
    String(try #require(page.firstMatch(of: /\/assets\/[0-9a-f]{12}\//)).0)
  }

  @Test func `whatever the first page needs is named in the page, and kept for a year`() throws {
    let world = try world()
    let page = try world.client.call("GET", "/")
    #expect(page.status == 200 && page.header("cache-control") == "no-cache")
    let (base, named) = (try base(page.text), named(page.text))
    #expect(named.allSatisfy { $0.hasPrefix(base) }, "\(named)")
    #expect(Set(named).count == named.count)
    for path in named {
      let reply = try world.client.call("GET", path)
      #expect(reply.status == 200, "\(path)")
      #expect(reply.header("cache-control") == "public, max-age=31536000, immutable")
      #expect(reply.header("content-security-policy")?.hasPrefix("default-src 'none'") == true)
      // Nothing is found only by reading another module.
      let directory = path.split(separator: "/").dropLast()
      for match in reply.text.matches(of: /(?m)^(?:import|export|\}) ?.*from "(\.[^"]+)"/) where path.hasSuffix(".js") {
        let target = URL(filePath: "/" + directory.joined(separator: "/") + "/" + match.1).standardized.path()
        #expect(named.contains(target), "\(path) imports \(target), which the page does not name")
      }
    }
    // The budget of a first visit: six connections fetch them in five turns.
    #expect(named.count <= 30, "\(named.count) files")
    let style = try #require(named.first { $0.hasSuffix("/console.css") })
    let sheet = try world.client.call("GET", style).text
    for part in ["base", "frame", "parts", "forms", "pages", "phones"] {
      #expect(sheet.contains(try String(contentsOfFile: "\(Self.source)/assets/style/\(part).css", encoding: .utf8)))
    }
  }

  @Test func `a reader's words are on their way before a script asks for them`() throws {
    let world = try world()
    func page(_ languages: String) throws -> Reply {
      try world.client.call("GET", "/", headers: [("Accept-Language", languages)])
    }
    let (korean, english) = (try page("ko-KR,ko;q=0.9,en;q=0.8"), try page("fr"))
    #expect(named(korean.text).contains { $0.hasSuffix("/words/ko.json") })
    #expect(named(english.text).filter { $0.contains("/words/") }.map { String($0.suffix(8)) } == ["/en.json"])
    #expect(korean.header("vary")?.contains("Accept-Language") == true)
    #expect(korean.header("etag") != english.header("etag"))
    // What was chosen in the console goes before what the browser says.
    for (cookie, language) in [("a=b; upmc-language=ko", "ko"), ("upmc-language=xx", "en"), ("upmc-language", "en")] {
      let page = try world.client.call("GET", "/", headers: [("Accept-Language", "en"), ("Cookie", cookie)])
      #expect(named(page.text).contains { $0.hasSuffix("/words/\(language).json") }, "\(cookie)")
    }
  }

  @Test func `whoever takes gzip gets it, and everybody else what it was made of`() throws {
    let world = try world()
    let base = try base(try world.client.call("GET", "/").text)
    for path in ["/", "/openapi.json", "/docs", base + "main.js", base + "words/ko.json"] {
      let plain = try world.client.call("GET", path)
      #expect(plain.status == 200 && plain.header("content-encoding") == nil, "\(path)")
      #expect(plain.header("vary")?.hasPrefix("Accept-Encoding") == true, "\(path)")
      let packed = try world.client.call("GET", path, headers: [("Accept-Encoding", "gzip, br")])
      #expect(packed.status == 200 && packed.header("content-encoding") == "gzip", "\(path)")
      let length = try #require(packed.header("content-length").flatMap { Int($0) })
      #expect(length > 100 && length < plain.text.utf8.count * 2 / 3, "\(path)")
      // Each form has a tag of its own, and is confirmed by it.
      let (tag, other) = (try #require(packed.header("etag")), try #require(plain.header("etag")))
      #expect(tag != other, "\(path)")
      for (known, status) in [(tag, 304), (other, 200), ("W/" + tag, 304), ("*", 304)] {
        let again = try world.client.call(
          "GET", path, headers: [("Accept-Encoding", "gzip"), ("If-None-Match", known)])
        #expect(again.status == status, "\(path): \(known)")
      }
      let head = try world.client.call("HEAD", path, headers: [("Accept-Encoding", "gzip")])
      #expect(
        head.text.isEmpty && head.header("content-length") == packed.header("content-length"), "\(path)")
    }
  }

  @Test func `a tab of another version gets the present files, and does not keep them`() throws {
    let world = try world()
    for base in ["/assets/0123456789ab/", "/assets/ffffffffffff/"] {
      let reply = try world.client.call("GET", base + "pages/apps.js")
      #expect(reply.status == 200 && reply.header("cache-control") == "no-store")
    }
    for path in [
      "0123456789ab/pages/nothing.js", "0123456789ab/../../index.html", "0123456789AB/main.js", "0123456789a/main.js",
      "0123456789ab/", "0123456789ab//main.js", "0123456789ab/words", "0123456789ab/%6dain.js",
    ] {
      #expect(try world.client.call("GET", "/assets/" + path).status >= 400, "\(path)")
    }
    #expect(try world.client.call("POST", "/").status == 405)
  }

  @Test func `a changed file changes the directory's name`() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "console-\(UUID().uuidString)").path()
    try FileManager.default.copyItem(atPath: Self.source, toPath: directory)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let world = try world(directory)
    let before = try base(try world.client.call("GET", "/").text)
    #expect(try base(try world.client.call("GET", "/").text) == before)
    try "export const added = 1;\n".write(
      toFile: directory + "/assets/parts/added.js", atomically: true, encoding: .utf8)
    let after = try poll("the page still names \(before)") {
      let found = try base(try world.client.call("GET", "/").text)
      return found == before ? nil : found
    }
    #expect(try world.client.call("GET", after + "parts/added.js").text == "export const added = 1;\n")
  }
}
