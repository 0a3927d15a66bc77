/// Requests that look odd and have one meaning all the same: what the handler must be given, and how it ends.
extension HostileRequest {
  private static let upgrade =
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA"

  static let odd: [HostileRequest] = [
    .understood("unknown method", "PURGE / HTTP/1.1\r\nHost: a\r\n\r\n", ["PURGE / "], "RFC 9110 §9.1"),
    .understood("method in small letters", "get / HTTP/1.1\r\nHost: a\r\n\r\n", ["get / "], "RFC 9110 §9.1"),
    .understood("TRACE", "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", ["TRACE / "], "RFC 9110 §9.3.8"),
    .understood(
      "method of thirty letters", "\(String(repeating: "M", count: 30)) / HTTP/1.1\r\nHost: a\r\n\r\n",
      ["\(String(repeating: "M", count: 30)) / "], "RFC 9110 §9.1"),
    .understood("CONNECT with a path", "CONNECT /x HTTP/1.1\r\nHost: a\r\n\r\n", ["CONNECT /x "], "RFC 9110 §9.3.6"),
    .understood("asterisk form", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", ["OPTIONS * "], "RFC 9112 §3.2.4"),
    .understood("absolute form", "GET http://a/x HTTP/1.1\r\nHost: a\r\n\r\n", ["GET /x "], "RFC 9112 §3.2.2"),
    .understood(
      "absolute form of another case", "GET HTTP://A/x HTTP/1.1\r\nHost: a\r\n\r\n", ["GET /x "], "RFC 9110 §4.2.3"),
    .understood("absolute form in the query", get("/x?u=http://b/"), ["GET /x?u=http://b/ "], "RFC 9112 §3.2.1"),
    .understood("path of two slashes", get("//b/x"), ["GET //b/x "], "RFC 9112 §3.2.1"),
    .understood("path parameter of Tomcat", get("/a/..;/b"), ["GET /a/..;/b "], "RFC 3986 §3.3"),
    .understood("double encoding", get("/%252e%252e/x"), ["GET /%252e%252e/x "], "RFC 3986 §2.4"),
    .understood("overlong UTF-8", get("/%c0%ae%c0%ae/x"), ["GET /%c0%ae%c0%ae/x "], "RFC 3629 §3"),
    .understood("dots in the query", get("/?f=../../etc/passwd"), ["GET /?f=../../etc/passwd "], "RFC 3986 §3.4"),
    .understood("two question marks", get("/?a?b"), ["GET /?a?b "], "RFC 3986 §3.4"),
    .understood("HTTP/1.9", "GET / HTTP/1.9\r\nHost: a\r\n\r\n", ["GET / "], "RFC 9110 §2.5"),
    .understood("HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", ["GET / "], ending: .closed, "RFC 9112 §9.3"),
    .understood(
      "HTTP/1.0 with two wishes", "GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", ["GET / "],
      ending: .closed,
      "RFC 9112 §9.3"),
    .understood("close in a list", field("Connection: x, CLOSE"), ["GET / "], ending: .closed, "RFC 9112 §9.6"),
    .understood(
      "two Connection headers", field("Connection: keep-alive\r\nConnection: close"), ["GET / "], ending: .closed,
      "RFC 9110 §5.3"),
    .understood("hop-by-hop Host", field("Connection: Host"), ["GET / "], "RFC 9110 §7.6.1"),
    .understood(
      "hop-by-hop length", post("Connection: Content-Length\r\nContent-Length: 5"), ["POST / hello"], "RFC 9110 §7.6.1"),
    .understood("one empty line first", "\r\n" + get("/"), ["GET / "], "RFC 9112 §2.2"),
    .understood(
      "Host of an address with port", host("Host: [::ffff:192.0.2.1]:8080\r\n"), ["GET / "], "RFC 3986 §3.2.2"),
    .understood("Host without white space", host("host:a\r\n"), ["GET / "], "RFC 9112 §5"),
    .understood(
      "a forged forwarding", field("X-Forwarded-For: 127.0.0.1\r\nForwarded: for=127.0.0.1"), ["GET / "],
      "RFC 7239 §8.1"),
    .understood("a forged path", field("X-Original-URL: /admin\r\nX-Rewrite-URL: /admin"), ["GET / "], "RFC 9110 §5.1"),
    .understood("a forged method", field("X-HTTP-Method-Override: DELETE"), ["GET / "], "RFC 9110 §9.1"),
    .understood("h2c upgrade", field(upgrade), ["GET / "], "H2C, RFC 9110 §7.8"),
    .understood(
      "WebSocket upgrade",
      field(
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
      ), ["GET / "], "RFC 6455 §4.4"),
    .understood(
      "TLS upgrade", "OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: TLS/1.0\r\n\r\n", ["OPTIONS * "],
      "RFC 2817 §3"),
    .understood("value with high bytes", field("X: \u{FF}\u{80}"), ["GET / "], "RFC 9110 §5.5"),
    .understood("value of blanks", field("X:  \t "), ["GET / "], "RFC 9110 §5.5"),
    .understood("the same header twice", field("X: 1\r\nX: 2"), ["GET / "], "RFC 9110 §5.3"),
    .understood(
      "content encoding", post("Content-Encoding: gzip\r\nContent-Length: 5"), ["POST / hello"], "RFC 9110 §8.4"),
    .understood("range that overlaps itself", field("Range: bytes=0-0,0-0,0-0,0-"), ["GET / "], "RFC 9110 §14.2"),
  ]

  static let oddBodies: [HostileRequest] = [
    .understood(
      "CL.0: a GET with a body", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", ["GET / hello"],
      "CL.0, RFC 9110 §9.3.1"),
    .understood(
      "CL.0: a request as body", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 25\r\n\r\nGET /y HTTP/1.1\r\nX: smu\r\n",
      ["GET / GET /y HTTP/1.1\r\nX: smu\r\n"], "CL.0, RFC 9112 §6"),
    .understood(
      "DELETE with a body", "DELETE / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", ["DELETE / hello"],
      "RFC 9110 §9.3.5"),
    .understood(
      "OPTIONS with chunks", "OPTIONS / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
      ["OPTIONS / x"], "RFC 9110 §9.3.7"),
    .understood("POST without length", "POST / HTTP/1.1\r\nHost: a\r\n\r\n", ["POST / "], "RFC 9112 §6.3"),
    .understood("length with zeros before", post("Content-Length: 0000000005"), ["POST / hello"], "RFC 9110 §8.6"),
    .understood("length in blanks", post("Content-Length: \t 5 \t"), ["POST / hello"], "RFC 9110 §5.5"),
    .understood(
      "another header that looks like the coding", post("Transfer_Encoding: chunked\r\nContent-Length: 5"),
      ["POST / hello"], "TE.TE, RFC 9110 §5.1"),
    .understood(
      "another header that ends like the coding", post("X-Transfer-Encoding: chunked\r\nContent-Length: 5"),
      ["POST / hello"], "TE.TE, RFC 9110 §5.1"),
    .understood(
      "another header that looks like the length", post("Content_Length: 46\r\nContent-Length: 5"), ["POST / hello"],
      "CL.CL, RFC 9110 §5.1"),
    .understood(
      "coding behind a tab", post("Transfer-Encoding:\tchunked", "5\r\nhello\r\n0\r\n\r\n"), ["POST / hello"],
      "TE.TE, RFC 9110 §5.5"),
    .understood(
      "coding in capitals", post("TRANSFER-ENCODING: CHUNKED", "5\r\nhello\r\n0\r\n\r\n"), ["POST / hello"],
      "RFC 9112 §7"),
    .understood(
      "chunk size with zeros before", chunked("000000000000000000005\r\nhello\r\n0\r\n\r\n"), ["POST / hello"],
      "RFC 9112 §7.1"),
    .understood("last chunk of many zeros", chunked("5\r\nhello\r\n00000\r\n\r\n"), ["POST / hello"], "RFC 9112 §7.1"),
    .understood(
      "chunk data like an end", chunked("7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n"), ["POST / \r\n0\r\n\r\n"], "RFC 9112 §7.1"),
    .understood(
      "extension in quotes", chunked("5;a=\"0;x\"\r\nhello\r\n0\r\n\r\n"), ["POST / hello"], "RFC 9112 §7.1.1"),
    .understood(
      "trailer with a length", chunked("5\r\nhello\r\n0\r\nContent-Length: 46\r\n\r\n"), ["POST / hello"],
      "RFC 9110 §6.5.1"),
    .understood(
      "trailer with a coding", chunked("5\r\nhello\r\n0\r\nTransfer-Encoding: gzip\r\n\r\n"), ["POST / hello"],
      "RFC 9110 §6.5.1"),
    .understood(
      "trailer with a host", chunked("5\r\nhello\r\n0\r\nHost: b\r\nAuthorization: Bearer x\r\n\r\n"), ["POST / hello"],
      "RFC 9110 §6.5.1"),
    .understood(
      "expectation with its body", post("Expect: 100-continue\r\nContent-Length: 5"), ["POST / hello"],
      "RFC 9110 §10.1.1"),
    .understood(
      "expectation twice", post("Expect: 100-continue\r\nExpect: 100-continue\r\nContent-Length: 5"), ["POST / hello"],
      "RFC 9110 §10.1.1"),
    .understood("expectation without body", field("Expect: 100-continue"), ["GET / "], "RFC 9110 §10.1.1"),
    .understood(
      "expectation in HTTP/1.0", "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
      ["POST / hello"], ending: .closed, "RFC 9110 §10.1.1"),
  ]

  /// What becomes of the requests before and after.
  static let sequences: [HostileRequest] = [
    .understood(
      "three at once", get("/1") + get("/2") + get("/3"), ["GET /1 ", "GET /2 ", "GET /3 "], "RFC 9112 §9.3.2"),
    .understood(
      "good, bad, good", get("/1") + "BAD\r\n\r\n" + get("/3"), ["GET /1 "], ending: .closed, answers: [200, 400],
      "RFC 9112 §9.6"),
    .understood(
      "good, then a second Host", get("/1") + host("Host: a\r\nHost: b\r\n") + get("/3"), ["GET /1 "], ending: .closed,
      answers: [200, 400], "RFC 9112 §3.2"),
    .understood(
      "last, then another", field("Connection: close") + get("/2"), ["GET / "], ending: .closed, "RFC 9112 §9.6"),
    .understood(
      "HTTP/1.0, then another", "GET /1 HTTP/1.0\r\n\r\n" + get("/2"), ["GET /1 "], ending: .closed, "RFC 9112 §9.3"),
    .understood("body shorter than said", post("Content-Length: 50", "hello"), [], ending: .awaited, "RFC 9112 §6.3"),
    .understood("chunk shorter than said", chunked("50\r\nhello"), [], ending: .awaited, "RFC 9112 §7.1"),
    .understood("chunks without end", chunked("5\r\nhello\r\n"), [], ending: .awaited, "RFC 9112 §7.1"),
    .understood("head without end", "GET / HTTP/1.1\r\nHost: a\r\n", [], ending: .awaited, "RFC 9112 §2.1"),
    .understood(
      "body longer than said", post("Content-Length: 3", "hel" + get("/2")), ["POST / hel", "GET /2 "], "RFC 9112 §6.3"),
    .understood(
      "body longer than said, and no request", post("Content-Length: 3", "hello\r\n\r\n"), ["POST / hel"],
      ending: .closed,
      answers: [200, 400], "RFC 9112 §6.3"),
    .understood(
      "line break behind a body", post("Content-Length: 5") + "\r\n" + get("/2"), ["POST / hello", "GET /2 "],
      "RFC 9112 §2.2"),
    .understood(
      "good, then too long a target", get("/1") + get("/" + String(repeating: "x", count: 8_000)), ["GET /1 "],
      ending: .closed,
      answers: [200, 414], "RFC 9110 §15.5.15"),
    .understood(
      "good, then too long a header", get("/1") + field("X: " + String(repeating: "x", count: 8_200)), ["GET /1 "],
      ending: .closed, answers: [200, 431], "RFC 6585 §5"),
    .understood(
      "good, then too many headers", get("/1") + field((1...100).map { "X\($0): y" }.joined(separator: "\r\n")),
      ["GET /1 "], ending: .closed, answers: [200, 431], "RFC 6585 §5"),
    .understood(
      "HEAD, then another", "HEAD /1 HTTP/1.1\r\nHost: a\r\n\r\n" + get("/2"), ["HEAD /1 ", "GET /2 "],
      "RFC 9110 §9.3.2"),
  ]
}
