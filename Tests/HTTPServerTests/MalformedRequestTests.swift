import Reactor
import Testing

@testable import HTTPServer

/// Requests that must be refused: what is wrong, the bytes, the status, and the rule.
@Suite struct MalformedRequestTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]
    let status: Int
    let rule: String

    init(_ name: String, _ text: String, _ status: Int, _ rule: String) {
      self.init(name, bytes: Array(text.utf8), status, rule)
    }

    init(_ name: String, _ text: String, _ rule: String) {
      self.init(name, bytes: Array(text.utf8), 400, rule)
    }

    init(_ name: String, bytes: [UInt8], _ status: Int, _ rule: String) {
      self.name = name
      self.bytes = bytes
      self.status = status
      self.rule = rule
    }

    var testDescription: String { name }
  }

  private static func get(_ target: String) -> String { "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n" }
  private static func field(_ line: String) -> String { "GET / HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n" }
  private static func host(_ lines: String) -> String { "GET / HTTP/1.1\r\n\(lines)\r\n" }
  private static func chunked(_ body: String) -> String {
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
  }
  private static func post(_ fields: String) -> String { "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\nhello" }

  static let requestLines: [Case] = [
    Case("empty method", " / HTTP/1.1\r\nHost: a\r\n\r\n", "RFC 9112 §3.1"),
    Case("method with a space before", " GET / HTTP/1.1\r\nHost: a\r\n\r\n", "RFC 9112 §3.1"),
    Case("method with a bad character", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", "RFC 9110 §5.6.2"),
    Case("method with a control character", "G\u{1}T / HTTP/1.1\r\nHost: a\r\n\r\n", "RFC 9110 §5.6.2"),
    Case("method only", "GET\r\nHost: a\r\n\r\n", "RFC 9112 §3"),
    Case("tab after the method", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", "RFC 9112 §3"),
    Case("two spaces after the method", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "RFC 9112 §3"),
    Case("two spaces before the version", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n", "RFC 9112 §3"),
    Case("tab before the version", "GET /\tHTTP/1.1\r\nHost: a\r\n\r\n", "RFC 9112 §3"),
    Case("space after the version", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 505, "RFC 9112 §3"),
    Case("no version", "GET /\r\n\r\n", "RFC 9112 §3"),
    Case("empty version", "GET / \r\nHost: a\r\n\r\n", "RFC 9112 §3"),
    Case("another protocol", "GET / HTTQ/1.1\r\nHost: a\r\n\r\n", "RFC 9112 §2.3"),
    Case("version in small letters", "GET / http/1.1\r\nHost: a\r\n\r\n", "RFC 9112 §2.3"),
    Case("HTTP/2.0", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505, "RFC 9110 §15.6.6"),
    Case("HTTP/0.9", "GET / HTTP/0.9\r\nHost: a\r\n\r\n", 505, "RFC 9110 §15.6.6"),
    Case("HTTP/1", "GET / HTTP/1\r\nHost: a\r\n\r\n", 505, "RFC 9112 §2.3"),
    Case("HTTP/1.10", "GET / HTTP/1.10\r\nHost: a\r\n\r\n", 505, "RFC 9112 §2.3"),
    Case("HTTP/11.1", "GET / HTTP/11.1\r\nHost: a\r\n\r\n", 505, "RFC 9112 §2.3"),
    Case("HTTP/1.x", "GET / HTTP/1.x\r\nHost: a\r\n\r\n", 505, "RFC 9112 §2.3"),
    Case("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "RFC 9113 §3.4"),
    Case("TLS handshake", bytes: [0x16, 3, 1, 2, 0, 1, 0x0D, 0x0A], 400, "RFC 9112 §3"),
    Case("three empty lines first", "\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "RFC 9112 §2.2"),
    Case("bare LF after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n", "RFC 9112 §2.2"),
    Case("bare LF as empty line", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "RFC 9112 §2.2"),
    Case("bare CR in the request line", "GET /\rx HTTP/1.1\r\nHost: a\r\n\r\n", "RFC 9112 §2.2"),
    Case("CR CR LF", "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", 505, "RFC 9112 §2.2"),
  ]

  static let targets: [Case] = [
    Case("relative path", get("x"), "RFC 9112 §3.2"),
    Case("star with GET", get("*"), "RFC 9112 §3.2.4"),
    Case("star and more", "OPTIONS *x HTTP/1.1\r\nHost: a\r\n\r\n", "RFC 9112 §3.2.4"),
    Case("authority form", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", "RFC 9112 §3.2.3"),
    Case("fragment", get("/a#b"), "RFC 9112 §3.2"),
    Case("NUL in the path", get("/a\u{0}b"), "RFC 9112 §3.2"),
    Case("control character in the path", get("/a\u{7}b"), "RFC 9112 §3.2"),
    Case("DEL in the path", get("/a\u{7F}b"), "RFC 9112 §3.2"),
    Case("raw UTF-8 in the path", get("/이체"), "RFC 3986 §2"),
    Case("space in the path", get("/a b"), "RFC 9112 §3.2"),
    Case("other scheme", get("ftp://a/x"), "RFC 9112 §3.2.2"),
    Case("foreign absolute form", get("http://b/x"), "RFC 9112 §3.2.2"),
    Case("absolute form with another port", get("http://a:81/x"), "RFC 9112 §3.2.2"),
    Case("absolute form without authority", get("http:///x"), "RFC 9110 §4.2.1"),
    Case("absolute form with user information", get("http://u@a/x"), "RFC 9110 §4.2.4"),
    Case("absolute form, HTTP/1.0, no Host", "GET http://a/ HTTP/1.0\r\n\r\n", "RFC 9112 §3.2.2"),
    Case("dot segment", get("/a/./b"), "RFC 3986 §5.2.4"),
    Case("double dot segment", get("/a/../b"), "RFC 3986 §5.2.4"),
    Case("double dot at the end", get("/a/.."), "RFC 3986 §5.2.4"),
    Case("double dot at the start", get("/../etc/passwd"), "RFC 3986 §5.2.4"),
    Case("double dot in absolute form", get("http://a/../x"), "RFC 3986 §5.2.4"),
    Case("encoded double dot", get("/%2e%2e/etc/passwd"), "RFC 3986 §6.2.2.2"),
    Case("half encoded double dot", get("/a/.%2E/b"), "RFC 3986 §6.2.2.2"),
    Case("encoded dot", get("/a/%2e"), "RFC 3986 §6.2.2.2"),
    Case("encoded slash", get("/a%2fb"), "RFC 3986 §2.2"),
    Case("dots and encoded slash", get("/..%2F..%2Fetc%2Fpasswd"), "RFC 3986 §2.2"),
    Case("encoded backslash", get("/a%5cb"), "RFC 3986 §2.2"),
    Case("backslash", get("/a\\..\\b"), "RFC 3986 §2"),
    Case("encoded NUL", get("/a%00.png"), "RFC 3986 §7.3"),
    Case("encoded line break", get("/a%0d%0aX:%20y"), "RFC 3986 §7.3"),
    Case("encoded DEL", get("/a%7F"), "RFC 3986 §7.3"),
    Case("percent without digits", get("/a%"), "RFC 3986 §2.1"),
    Case("percent with one digit", get("/a%4"), "RFC 3986 §2.1"),
    Case("percent with a letter", get("/a%4g"), "RFC 3986 §2.1"),
    Case("overlong escape", get("/a%u0041"), "RFC 3986 §2.1"),
    Case("broken percent in the query", get("/a?b=%zz"), "RFC 3986 §2.1"),
    Case("percent at the end of the query", get("/a?b=%"), "RFC 3986 §2.1"),
  ]

  static let fields: [Case] = [
    Case("no colon", field("Colonless"), "RFC 9112 §5"),
    Case("empty name", field(": x"), "RFC 9110 §5.1"),
    Case("space before the colon", field("X : y"), "RFC 9112 §5.1"),
    Case("tab before the colon", field("X\t: y"), "RFC 9112 §5.1"),
    Case("space in the name", field("X Y: z"), "RFC 9110 §5.1"),
    Case("bad character in the name", field("X@Y: z"), "RFC 9110 §5.1"),
    Case("parenthesis in the name", field("X(Y): z"), "RFC 9110 §5.1"),
    Case("UTF-8 in the name", field("이: z"), "RFC 9110 §5.1"),
    Case("NUL in the name", field("X\u{0}Y: z"), "RFC 9110 §5.1"),
    Case("folded line", field("X: a\r\n b"), "RFC 9112 §5.2"),
    Case("folded line with a tab", field("X: a\r\n\tb"), "RFC 9112 §5.2"),
    Case("white space before the first header", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", "RFC 9112 §2.2"),
    Case("NUL in a value", field("X: a\u{0}b"), "RFC 9110 §5.5"),
    Case("control character in a value", field("X: a\u{1}b"), "RFC 9110 §5.5"),
    Case("escape in a value", field("X: \u{1B}[31m"), "RFC 9110 §5.5"),
    Case("DEL in a value", field("X: a\u{7F}b"), "RFC 9110 §5.5"),
    Case("bare CR in a value", field("X: a\rb"), "RFC 9110 §5.5"),
    Case("bare CR at the end of a value", field("X: a\r"), "RFC 9110 §5.5"),
    Case("bare LF after a header", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", "RFC 9112 §2.2"),
    Case("bare LF ends the head", "GET / HTTP/1.1\r\nHost: a\r\n\n", "RFC 9112 §2.2"),
    Case("no Host", "GET / HTTP/1.1\r\n\r\n", "RFC 9112 §3.2"),
    Case("two Hosts", host("Host: a\r\nHost: a\r\n"), "RFC 9112 §3.2"),
    Case("two Hosts in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", "RFC 9112 §3.2"),
    Case("empty Host", host("Host:\r\n"), "RFC 9110 §4.2.1"),
    Case("Host with a space", host("Host: a b\r\n"), "RFC 9110 §7.2"),
    Case("Host with a list", host("Host: a, b\r\n"), "RFC 9110 §7.2"),
    Case("Host with a path", host("Host: a/b\r\n"), "RFC 9110 §7.2"),
    Case("Host with user information", host("Host: u@a\r\n"), "RFC 9110 §7.2"),
    Case("Host with a bad port", host("Host: a:8x\r\n"), "RFC 9110 §7.2"),
    Case("Host with a port too high", host("Host: a:65536\r\n"), "RFC 9110 §7.2"),
    Case("Host with two ports", host("Host: a:1:2\r\n"), "RFC 9110 §7.2"),
    Case("Host with only a port", host("Host: :80\r\n"), "RFC 9110 §4.2.1"),
    Case("Host with an open bracket", host("Host: [::1\r\n"), "RFC 3986 §3.2.2"),
    Case("Host with a name in brackets", host("Host: [abc]\r\n"), "RFC 3986 §3.2.2"),
    Case("Host with text after the bracket", host("Host: [::1]x\r\n"), "RFC 3986 §3.2.2"),
    Case("Host with a broken escape", host("Host: a%2\r\n"), "RFC 3986 §3.2.2"),
    Case("Host with UTF-8", host("Host: 은행\r\n"), "RFC 3986 §3.2.2"),
    Case("Host with a quote", host("Host: a\"b\r\n"), "RFC 3986 §3.2.2"),
  ]

  static let framing: [Case] = [
    Case("two lengths that differ", post("Content-Length: 5\r\nContent-Length: 6"), "RFC 9112 §6.3"),
    Case("two lengths alike", post("Content-Length: 5\r\nContent-Length: 5"), "RFC 9112 §6.3"),
    Case("a list of lengths", post("Content-Length: 5, 5"), "RFC 9112 §6.3"),
    Case("empty length", post("Content-Length:"), "RFC 9110 §8.6"),
    Case("negative length", post("Content-Length: -5"), "RFC 9110 §8.6"),
    Case("length with a plus", post("Content-Length: +5"), "RFC 9110 §8.6"),
    Case("hexadecimal length", post("Content-Length: 0x5"), "RFC 9110 §8.6"),
    Case("length with a fraction", post("Content-Length: 5.0"), "RFC 9110 §8.6"),
    Case("length with a space inside", post("Content-Length: 5 5"), "RFC 9110 §8.6"),
    Case("length with a separator", post("Content-Length: 1_0"), "RFC 9110 §8.6"),
    Case("length with other digits", post("Content-Length: ５"), "RFC 9110 §8.6"),
    Case("length that overflows", post("Content-Length: 9223372036854775808"), "RFC 9112 §6.3"),
    Case("length that wraps around", post("Content-Length: 18446744073709551621"), "RFC 9112 §6.3"),
    Case("length of thirty digits", post("Content-Length: 100000000000000000000000000005"), "RFC 9112 §6.3"),
    Case("length above the limit", post("Content-Length: 1048577"), 413, "RFC 9110 §15.5.14"),
    Case("length and chunks", post("Content-Length: 5\r\nTransfer-Encoding: chunked"), "RFC 9112 §6.1"),
    Case("chunks and length", post("Transfer-Encoding: chunked\r\nContent-Length: 5"), "RFC 9112 §6.1"),
    Case("chunks and length zero", post("Transfer-Encoding: chunked\r\nContent-Length: 0"), "RFC 9112 §6.1"),
    Case("chunked twice", post("Transfer-Encoding: chunked, chunked"), "RFC 9112 §6.1"),
    Case("chunked in two lines", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), "RFC 9112 §6.1"),
    Case("gzip, chunked", post("Transfer-Encoding: gzip, chunked"), "RFC 9112 §6.1"),
    Case("chunked, gzip", post("Transfer-Encoding: chunked, gzip"), "RFC 9112 §6.1"),
    Case("gzip alone", post("Transfer-Encoding: gzip"), "RFC 9112 §6.1"),
    Case("identity", post("Transfer-Encoding: identity"), "RFC 9112 §6.1"),
    Case("identity, then chunked", post("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked"), "RFC 9112 §6.1"),
    Case("empty coding", post("Transfer-Encoding:"), "RFC 9112 §6.1"),
    Case("chunked with a parameter", post("Transfer-Encoding: chunked;q=1"), "RFC 9112 §6.1"),
    Case("chunked in quotes", post("Transfer-Encoding: \"chunked\""), "RFC 9112 §6.1"),
    Case("chunked with a vertical tab", post("Transfer-Encoding: \u{B}chunked"), "RFC 9110 §5.5"),
    Case("xchunked", post("Transfer-Encoding: xchunked"), "RFC 9112 §6.1"),
    Case("chunked with a comma", post("Transfer-Encoding: chunked,"), "RFC 9112 §6.1"),
    Case("space before the colon of the length", post("Content-Length : 5"), "RFC 9112 §5.1"),
    Case("space before the colon of the coding", post("Transfer-Encoding : chunked"), "RFC 9112 §5.1"),
    Case("folded coding", post("Transfer-Encoding:\r\n chunked"), "RFC 9112 §5.2"),
    Case(
      "chunks in HTTP/1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "RFC 9112 §6.1"
    ),
  ]

  static let chunks: [Case] = [
    Case("chunk size missing", chunked("\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    Case("chunk size no number", chunked("g\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    Case("chunk size negative", chunked("-5\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    Case("chunk size with plus", chunked("+5\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    Case("chunk size with prefix", chunked("0x5\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    Case("chunk size after a space", chunked(" 5\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    Case("chunk size and a space", chunked("5 \r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1.1"),
    Case("chunk size and text", chunked("5 x\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1.1"),
    Case("chunk size that overflows", chunked("10000000000000005\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    Case("chunk size negative by overflow", chunked("fffffffffffffffb\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    Case("chunk above the body limit", chunked("100001\r\n"), 413, "RFC 9110 §15.5.14"),
    Case("bare LF after the chunk size", chunked("5\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    Case("bare CR in the chunk size", chunked("5\r5\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    Case("no line break after the data", chunked("5\r\nhello0\r\n\r\n"), "RFC 9112 §7.1"),
    Case("bare LF after the data", chunked("5\r\nhello\n0\r\n\r\n"), "RFC 9112 §7.1"),
    Case("bare CR after the data", chunked("5\r\nhello\r0\r\n\r\n"), "RFC 9112 §7.1"),
    Case("data longer than its size", chunked("4\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    Case("NUL in an extension", chunked("5;a\u{0}b\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1.1"),
    Case("extension with a bare CR", chunked("5;a\rb\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1.1"),
    Case("trailer without colon", chunked("0\r\nbroken\r\n\r\n"), "RFC 9112 §7.1.2"),
    Case("folded trailer", chunked("0\r\nX: a\r\n b\r\n\r\n"), "RFC 9112 §5.2"),
    Case("space in the name of a trailer", chunked("0\r\nX : a\r\n\r\n"), "RFC 9112 §5.1"),
    Case("NUL in a trailer", chunked("0\r\nX: \u{0}\r\n\r\n"), "RFC 9110 §5.5"),
    Case("bare LF ends the trailers", chunked("0\r\n\n"), "RFC 9112 §7.1"),
  ]

  static let all: [Case] = requestLines + targets + fields + framing + chunks

  @Test func `the table is not a small one, and names no case twice`() {
    #expect(Self.all.count >= 150)
    #expect(Set(Self.all.map(\.name)).count == Self.all.count)
  }

  @Test(arguments: Feeding.allCases) func `every malformed request is refused however its bytes arrive`(
    _ feeding: Feeding
  ) {
    for entry in Self.all {
      for cuts in feeding.cuts(entry.bytes.count) {
        let reading = Reading.of(entry.bytes, cuts: cuts).description
        #expect(reading.hasPrefix("\(entry.status) "), "\(entry.name), \(entry.rule), cut at \(cuts): \(reading)")
      }
    }
  }

  @Test(arguments: all) func `a server refuses it, closes, and no handler sees it`(_ entry: Case) throws {
    var handled = 0
    let server = try TestServer { request, responder in
      handled += 1
      responder.send(status: .ok)
    }
    let peer = try server.connect()
    peer.send(entry.bytes + Array("GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    let answer = try peer.takeAnswer()
    #expect(answer.status == entry.status, "\(entry.rule)")
    #expect(answer.header("connection") == "close")
    #expect(answer.header("content-type") == "application/problem+json")
    #expect(answer.body.contains("\"requestId\":\"\(try #require(answer.header("x-request-id")))\""))
    #expect(peer.waitForClose())
    #expect(!peer.wasReset)
    #expect(peer.received.isEmpty)
    #expect(handled == 0)
  }
}
