import Testing

@testable import EmbeddedPostgres

@Suite struct SocketPathTests {
  @Test func `a socket's path may have 107 bytes, not one more`() {
    let name = "/.s.PGSQL.5432".utf8.count
    #expect(SocketPath.fits("/" + String(repeating: "x", count: 106 - name)))
    #expect(!SocketPath.fits("/" + String(repeating: "x", count: 107 - name)))
  }

  @Test func `a comma would part it into two hosts`() {
    #expect(!SocketPath.fits("/a,b"))
  }

  @Test func `what means something in a URL or a list is written so that it does not`() {
    #expect(
      SocketPath.url("/a b%é", database: "d") == "postgresql://upmc@/d?host=/a%20b%25%c3%a9&port=5432")
    #expect(SocketPath.quoted("/a\"b") == "\"/a\"\"b\"")
  }
}
