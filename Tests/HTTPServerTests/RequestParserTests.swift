import Reactor
import Testing

@testable import HTTPServer

/// Requests that must be understood, and how.
@Suite struct RequestParserTests {
  static let valid: [(String, String)] = [
    ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / 1.1 keep [host=a] "),
    ("GET /a/b?c=d&e HTTP/1.1\r\nHost: example.com:8080\r\n\r\n", "GET /a/b?c=d&e 1.1 keep [host=example.com:8080] "),
    ("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / 1.1 keep [host=a] "),
    ("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / 1.1 keep [host=a] "),
    ("GET / HTTP/1.0\r\n\r\n", "GET / 1.0 close [] "),
    ("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "GET / 1.0 keep [connection=Keep-Alive] "),
    ("GET / HTTP/1.7\r\nHost: a\r\n\r\n", "GET / 1.1 keep [host=a] "),
    ("GET / HTTP/1.1\r\nhost:a\r\nCONNECTION: close\r\n\r\n", "GET / 1.1 close [host=a|connection=close] "),
    (
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: x , \tClose\r\n\r\n",
      "GET / 1.1 close [host=a|connection=x , \tClose] "
    ),
    ("GET / HTTP/1.1\r\nHost:\t a \t\r\n\r\n", "GET / 1.1 keep [host=a] "),
    ("GET / HTTP/1.1\r\nHost: a\r\nX-Empty:\r\n\r\n", "GET / 1.1 keep [host=a|x-empty=] "),
    ("GET / HTTP/1.1\r\nHost: a\r\nX-!#$%&'*+-.^_`|~9: ok\r\n\r\n", "GET / 1.1 keep [host=a|x-!#$%&'*+-.^_`|~9=ok] "),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: caf\u{e9} 이체\r\n\r\n", "GET / 1.1 keep [host=a|x=caf\u{e9} 이체] "),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", "POST / 1.1 keep [host=a|content-length=5] hello"),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 005\r\n\r\nhello",
      "POST / 1.1 keep [host=a|content-length=005] hello"
    ),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "POST / 1.1 keep [host=a|content-length=0] "),
    ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi", "GET / 1.1 keep [host=a|content-length=2] hi"),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
      "POST / 1.1 keep [host=a|transfer-encoding=Chunked] hello world"
    ),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST / 1.1 keep [host=a|transfer-encoding=chunked] "
    ),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n00A ;x=\"1;2\";y\r\n0123456789\r\n0;last\r\n\r\n",
      "POST / 1.1 keep [host=a|transfer-encoding=chunked] 0123456789"
    ),
    (
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nDigest: y\r\nZ: 1\r\n\r\n",
      "POST / 1.1 keep [host=a|transfer-encoding=chunked] x"
    ),
    ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * 1.1 keep [host=a] "),
    ("GET http://a/x?y HTTP/1.1\r\nHost: a\r\n\r\n", "GET /x?y 1.1 keep [host=a] "),
    (
      "GET HTTPS://Example.COM:443/x HTTP/1.1\r\nHost: example.com:443\r\n\r\n",
      "GET /x 1.1 keep [host=example.com:443] "
    ),
    ("GET http://a HTTP/1.1\r\nHost: a\r\n\r\n", "GET / 1.1 keep [host=a] "),
    ("GET http://a?q HTTP/1.1\r\nHost: a\r\n\r\n", "GET /?q 1.1 keep [host=a] "),
    ("GET / HTTP/1.1\r\nHost: [2001:db8::1]:80\r\n\r\n", "GET / 1.1 keep [host=[2001:db8::1]:80] "),
    ("GET / HTTP/1.1\r\nHost: a:\r\n\r\n", "GET / 1.1 keep [host=a:] "),
    (
      "GET /%EC%9D%B4/a%20b/...x/.hidden/x.. HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /%EC%9D%B4/a%20b/...x/.hidden/x.. 1.1 keep [host=a] "
    ),
    ("GET /a?b=%2F..%2F&c={\"d\"} HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a?b=%2F..%2F&c={\"d\"} 1.1 keep [host=a] "),
    ("GET //a//b HTTP/1.1\r\nHost: a\r\n\r\n", "GET //a//b 1.1 keep [host=a] "),
    (
      "GET /a-b_c/D9 HTTP/1.1\r\nHost: my-bank.example:65535\r\n\r\n",
      "GET /a-b_c/D9 1.1 keep [host=my-bank.example:65535] "
    ),
    (
      "GET /x. HTTP/1.1\r\nHost: a\r\nHosts: b\r\nContent-Lengths: 9\r\nContent-Type2: t\r\nCon: c\r\n\r\n",
      "GET /x. 1.1 keep [host=a|hosts=b|content-lengths=9|content-type2=t|con=c] "
    ),
    ("PURGE-x! / HTTP/1.1\r\nHost: a\r\n\r\n", "PURGE-x! / 1.1 keep [host=a] "),
    ("GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\n\r\n", "GET / 1.1 keep [host=a|te=trailers] "),
  ]

  @Test(arguments: Feeding.allCases) func `every valid request is understood however its bytes arrive`(
    _ feeding: Feeding
  ) {
    for (text, expected) in Self.valid {
      let bytes = Array(text.utf8)
      for cuts in feeding.cuts(bytes.count) {
        #expect(Reading.of(bytes, cuts: cuts).description == expected, "cut at \(cuts)")
      }
    }
  }

  @Test func `a request cut anywhere is incomplete, never wrong`() {
    for (text, _) in Self.valid {
      let bytes = Array(text.utf8)
      for end in 0..<bytes.count {
        #expect(Reading.of(Array(bytes[..<end]), cuts: [end]).description == "incomplete", "\(text) cut at \(end)")
      }
    }
  }

  @Test func `what was sent ahead stays for the next request`() {
    let bytes = Array("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    #expect(Reading.of(bytes, cuts: [bytes.count]).description == "GET /1 1.1 keep [host=a]  +more")
  }

  @Test func `methods are recognised by their exact spelling`() {
    for method in Method.allCases where method != .other {
      #expect(parsedMethod(method.rawValue) == method)
      #expect(parsedMethod(method.rawValue.lowercased()) == .other)
      #expect(parsedMethod(method.rawValue + "X") == .other)
      #expect(parsedMethod("XXXXXXXXX" + method.rawValue) == .other)
    }
  }

  private func parsedMethod(_ name: String) -> Method? {
    var parser = RequestParser()
    let bytes = Array("\(name) /x HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    guard case .head = parser.parse(bytes.span) else { return nil }
    return parser.head.method
  }

  @Test func `an expectation is met or refused, and ignored from HTTP 1 dot 0`() {
    #expect(expectation("HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\n") == .continue)
    #expect(expectation("HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\n") == .unknown)
    #expect(expectation("HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\nExpect: 100-continue\r\n") == .unknown)
    #expect(expectation("HTTP/1.0\r\nHost: a\r\nExpect: 200-ok\r\n") == RequestHead.Expectation.none)
  }

  private func expectation(_ rest: String) -> RequestHead.Expectation? {
    var parser = RequestParser()
    let bytes = Array("GET / \(rest)\r\n".utf8)
    guard case .head = parser.parse(bytes.span) else { return nil }
    return parser.head.expectation
  }

  @Test func `a head that comes byte by byte costs linear time`() {
    // Each byte is searched once: the parser's own mark must always stand at the end of what it has seen.
    var bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8)
    for number in 0..<90 { bytes += Array("X-\(number): \(String(repeating: "v", count: 600))\r\n".utf8) }
    bytes += Array("\r\n".utf8)
    var parser = RequestParser()
    let clock = SystemClock()
    let start = clock.now
    for end in 1..<bytes.count {
      guard case .needMore = parser.parse(bytes.span.extracting(0..<end)) else {
        Issue.record("refused at \(end)")
        return
      }
    }
    guard case .head = parser.parse(bytes.span) else {
      Issue.record("not understood")
      return
    }
    // 55 kB byte by byte take milliseconds when linear, and would take minutes in a debug build when quadratic.
    #expect(clock.now - start < .seconds(60))
  }
}
