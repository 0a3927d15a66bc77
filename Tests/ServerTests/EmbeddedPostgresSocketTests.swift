import Testing

@testable import Server

@Suite struct EmbeddedPostgresSocketTests {
  @Test func `a socket's path may have 107 bytes, not one more`() {
    let name = "/.s.PGSQL.5432".utf8.count
    #expect(EmbeddedPostgresSocket.fits("/" + String(repeating: "x", count: 106 - name)))
    #expect(!EmbeddedPostgresSocket.fits("/" + String(repeating: "x", count: 107 - name)))
  }

  @Test func `a comma would part it into two hosts`() {
    #expect(!EmbeddedPostgresSocket.fits("/a,b"))
  }

  @Test func `what means something in a URL or a list is written so that it does not`() {
    #expect(
      EmbeddedPostgresSocket.url("/a b%é", database: "d") == "postgresql://upmc@/d?host=/a%20b%25%c3%a9&port=5432")
    #expect(EmbeddedPostgresSocket.quoted("/a\"b") == "\"/a\"\"b\"")
  }
}
