import Glibc
import Testing

@testable import HTTPServer

@Suite struct StaticFilesTests {
  /// A directory that is removed again: `root` is served, `secret` lies beside it.
  private final class Directory {
    let base: String
    private var made: [String] = []
    var root: String { base + "/root" }

    init() {
      var template = Array("/tmp/static-files-XXXXXX".utf8CString)
      base = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
      made.append(base)
      for path in ["root", "root/css", "root/.git", "root/dir.txt", "root-beside"] { makeDirectory(path) }
      write("root/index.html", "<p>hello</p>")
      write("root/css/index.html", "<p>css</p>")
      write("root/css/a.css", "p {}")
      write("root/.env", "KEY=1")
      write("root/.git/config", "x")
      write("root/a b.txt", "space")
      write("root/이.txt", "korean")
      write("secret", "secret")
      link("inside.html", to: "index.html")
      link("outside.txt", to: "../secret")
      link("up", to: "..")
      link("etc", to: "/etc")
      write("root-beside/x.txt", "beside")
      link("beside.txt", to: "../root-beside/x.txt")
      mkfifo(root + "/pipe.txt", 0o644)
      made.append(root + "/pipe.txt")
    }

    private func makeDirectory(_ path: String) {
      mkdir(base + "/" + path, 0o755)
      made.append(base + "/" + path)
    }

    private func link(_ name: String, to target: String) {
      symlink(target, root + "/" + name)
      made.append(root + "/" + name)
    }

    func write(_ path: String, _ text: String) {
      let number = open(base + "/" + path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
      _ = text.withCString { Glibc.write(number, $0, text.utf8.count) }
      close(number)
      made.append(base + "/" + path)
    }

    deinit {
      for path in made.reversed() { remove(path) }
    }
  }

  private let directory = Directory()

  private func files() throws -> StaticFiles { try #require(StaticFiles(directory: directory.root)) }

  private func text(_ response: Response) -> String {
    response.status == .ok ? String(decoding: response.body, as: UTF8.self) : "\(response.status.code)"
  }

  @Test(arguments: [
    ("/", "<p>hello</p>"), ("/index.html", "<p>hello</p>"), ("/css/", "<p>css</p>"), ("/css/a.css", "p {}"),
    ("/a%20b.txt", "space"), ("/%EC%9D%B4.txt", "korean"), ("/inside.html", "<p>hello</p>"),
  ])
  func `files inside the directory are served`(_ path: String, _ expected: String) throws {
    var files = try files()
    #expect(text(files.response(method: .get, path: path)) == expected)
  }

  @Test(arguments: [
    "", "index.html", "/missing", "/css", "/dir.txt", "/.env", "/.git/config", "/../secret", "/css/../../secret",
    "/%2e%2e/secret", "/..%2fsecret", "/%2e%2e%2fsecret", "/css%2fa.css", "/..%5csecret", "/index.html%00.css",
    "/index.html/", "//index.html", "/css//a.css", "/outside.txt", "/up/secret", "/etc/passwd", "/beside.txt",
    "/pipe.txt",
    "/a+b.txt", "/%", "/%zz", "/%ff", "/.", "/..", "/...", "/index.html\u{0}", "/etc/passwd/",
  ])
  func `nothing else is`(_ path: String) throws {
    var files = try files()
    #expect(text(files.response(method: .get, path: path)) == "404", "\(path)")
  }

  @Test func `only GET and HEAD are allowed`() throws {
    var files = try files()
    let response = files.response(method: .post, path: "/")
    #expect(response.status == .methodNotAllowed)
    #expect(response.headers.contains { $0 == ("Allow", "GET, HEAD") })
  }

  @Test func `a client that has the file is told so`() throws {
    var files = try files()
    let tag = try #require(files.response(method: .get, path: "/").headers.first { $0.0 == "ETag" }?.1)
    #expect(tag.first == "\"" && tag.last == "\"")
    for field in [tag, "\"x\", \(tag)", "W/\(tag)", "*"] {
      let response = files.response(method: .get, path: "/", ifNoneMatch: field)
      #expect(response.status == .notModified)
      #expect(response.body.isEmpty)
      #expect(response.headers.contains { $0 == ("ETag", tag) })
    }
    #expect(files.response(method: .get, path: "/", ifNoneMatch: "\"x\"").status == .ok)
  }

  @Test func `a file that changes is read anew, with another tag`() throws {
    var files = try files()
    let before = files.response(method: .get, path: "/css/a.css")
    directory.write("root/css/a.css", "q { }")
    let after = files.response(method: .get, path: "/css/a.css")
    #expect(text(after) == "q { }")
    #expect(before.headers.first { $0.0 == "ETag" }?.1 != after.headers.first { $0.0 == "ETag" }?.1)
    remove(directory.root + "/css/a.css")
    #expect(files.response(method: .get, path: "/css/a.css").status == .notFound)
  }

  @Test(arguments: [
    ("a.html", "text/html; charset=utf-8"), ("a.CSS", "text/css; charset=utf-8"),
    ("a.min.js", "text/javascript; charset=utf-8"),
    ("a.svg", "image/svg+xml"), ("a.woff2", "font/woff2"), ("a.json", "application/json"),
    ("a", "application/octet-stream"),
    ("x.html/a", "application/octet-stream"), ("a.exe", "application/octet-stream"),
  ])
  func `the type follows from the extension`(_ path: String, _ expected: String) {
    #expect(ContentType.of(path: path) == expected)
  }

  @Test func `files that are served cannot be taken for another type`() throws {
    var files = try #require(
      StaticFiles(directory: directory.root, headers: [("Content-Security-Policy", "default-src 'self'")]))
    let response = files.response(method: .get, path: "/")
    #expect(response.headers.contains { $0 == ("Content-Type", "text/html; charset=utf-8") })
    #expect(response.headers.contains { $0 == ("Content-Security-Policy", "default-src 'self'") })
    #expect(StaticFiles(directory: directory.base + "/missing") == nil)
  }

  @Test func `a server serves them below a prefix`() throws {
    var files = try files()
    let server = try TestServer { request, responder in
      responder.send(files.response(for: request, strippingPrefix: "/console"))
    }
    let peer = try server.connect()
    let answer = try peer.exchange("GET /console/css/a.css HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(answer.body == "p {}")
    let tag = try #require(answer.header("etag"))
    let second = try peer.exchange("GET /console/css/a.css HTTP/1.1\r\nHost: a\r\nIf-None-Match: \(tag)\r\n\r\n")
    #expect(second.status == 304)
    peer.send("HEAD /console/ HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try peer.takeAnswer(toHead: true).header("content-length") == "12")
    #expect(try peer.exchange("GET /consolex HTTP/1.1\r\nHost: a\r\n\r\n").status == 404)
    #expect(try peer.exchange("GET /other HTTP/1.1\r\nHost: a\r\n\r\n").status == 404)
  }
}
