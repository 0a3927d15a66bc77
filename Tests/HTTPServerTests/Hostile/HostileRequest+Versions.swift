/// Clients of HTTP/1.0 and of HTTP/2, and what comes behind the last chunk.
extension HostileRequest {
  private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
  private static let stay = "Connection: keep-alive\r\n"

  private static func old(_ fields: String, _ body: String = "hello") -> String {
    "POST / HTTP/1.0\r\n\(fields)\r\n\r\n\(body)"
  }

  /// Not to be understood, or only in several ways.
  static let foreign: [HostileRequest] = [
    .refused(
      "chunks in HTTP/1.0 that stays, a request behind",
      old(stay + "Transfer-Encoding: chunked", "0\r\n\r\n" + smuggled),
      "RFC 9112 §6.1"),
    .refused(
      "chunks and length in HTTP/1.0", old(stay + "Content-Length: 5\r\nTransfer-Encoding: chunked"), "RFC 9112 §6.1"),
    .refused("gzip in HTTP/1.0", old("Transfer-Encoding: gzip"), "RFC 9112 §6.1"),
    .refused("two lengths in HTTP/1.0", old("Content-Length: 5\r\nContent-Length: 46"), "CL.CL, RFC 9112 §6.3"),
    .refused("empty Host in HTTP/1.0", "GET / HTTP/1.0\r\nHost:\r\n\r\n", "RFC 9110 §4.2.1"),
    .refused("foreign absolute form in HTTP/1.0", "GET http://b/ HTTP/1.0\r\nHost: a\r\n\r\n", "RFC 9112 §3.2.2"),
    .refused("authority form in HTTP/1.0", "CONNECT a:443 HTTP/1.0\r\n\r\n" + smuggled, "RFC 9112 §3.2.3"),
    .refused("authority form with a path", "CONNECT a:443/x HTTP/1.1\r\nHost: a:443\r\n\r\n", "RFC 9112 §3.2.3"),
    .refused("CONNECT to an address", "CONNECT [::1]:22 HTTP/1.1\r\nHost: [::1]:22\r\n\r\n", "RFC 9112 §3.2.3"),
    .refused("star with TRACE", "TRACE * HTTP/1.1\r\nHost: a\r\n\r\n", "RFC 9112 §3.2.4"),
    .refused("star with CONNECT", "CONNECT * HTTP/1.1\r\nHost: a\r\n\r\n", "RFC 9112 §3.2.3"),
    .refused("star with a query", "OPTIONS *?x HTTP/1.1\r\nHost: a\r\n\r\n", "RFC 9112 §3.2.4"),
    .refused(
      "HTTP/2 preface behind an upgrade",
      field("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk")
        .replacing("GET / HTTP/1.1", with: "PRI * HTTP/2.0"),
      505, "H2C, RFC 9113 §3.4"),
    .refused("HTTP/3", "GET / HTTP/3\r\nHost: a\r\n\r\n", 505, "RFC 9110 §15.6.6"),
    .refused("unknown expectation with a body", post("Expect: 200-ok\r\nContent-Length: 5"), 417, "RFC 9110 §10.1.1"),
    .refused(
      "unknown expectation with chunks", post("Expect: x\r\nTransfer-Encoding: chunked", "0\r\n\r\n" + smuggled), 417,
      "Expect, RFC 9110 §10.1.1"),
    .refused(
      "expectation with a parameter", post("Expect: 100-continue;x=1\r\nContent-Length: 5"), 417, "RFC 9110 §10.1.1"),
    .refused(
      "trailers that are too long", chunked("0\r\n" + String(repeating: "X: \(text(4_000))\r\n", count: 3) + "\r\n"),
      431,
      "RFC 6585 §5"),
    .refused(
      "a trailer that is too long", chunked("5\r\nhello\r\n0\r\nX: \(text(9_000))\r\n\r\n"), 431, "RFC 6585 §5"),
    .refused(
      "a trailer that never ends",
      post("Connection: close\r\nTransfer-Encoding: chunked", "0\r\nX: \(text(9_000))"), 431, "RFC 6585 §5"),
    .refused("a request in place of trailers", chunked("0\r\n" + smuggled), "RFC 9112 §7.1.2"),
    .refused("folded length as trailer", chunked("0\r\nContent-Length:\r\n 46\r\n\r\n"), "RFC 9112 §5.2"),
    .refused("control character in a trailer", chunked("0\r\nX: a\u{1}b\r\n\r\n"), "RFC 9110 §5.5"),
    .refused("bare CR in a trailer", chunked("0\r\nX: a\rb\r\n\r\n"), "RFC 9110 §5.5"),
  ]

  /// Odd, and of one meaning.
  static let foreignButClear: [HostileRequest] = [
    .understood("HTTP/1.0 that stays", "GET / HTTP/1.0\r\n\(stay)\r\n", ["GET / "], "RFC 9112 §C.2.2"),
    .understood(
      "HTTP/1.0 that stays, with a body", old(stay + "Content-Length: 5"), ["POST / hello"], "RFC 9112 §C.2.2"),
    .understood(
      "HTTP/1.0 that stays, without length", old("Connection: keep-alive", ""), ["POST / "], "RFC 9112 §6.3"),
    .understood(
      "HTTP/1.0 without length, a request as body", old("X: y", smuggled), ["POST / "], ending: .closed,
      "RFC 9112 §6.3"),
    .understood(
      "HTTP/1.0 of a proxy's own header", "GET / HTTP/1.0\r\nProxy-Connection: keep-alive\r\n\r\n", ["GET / "],
      ending: .closed, "RFC 9112 §C.2.2"),
    .understood(
      "absolute form in HTTP/1.0", "GET http://a/x HTTP/1.0\r\nHost: a\r\n\(stay)\r\n", ["GET /x "], "RFC 9112 §3.2.2"),
    .understood(
      "unknown expectation in HTTP/1.0", "GET / HTTP/1.0\r\nExpect: x\r\n\(stay)\r\n", ["GET / "], "RFC 9110 §10.1.1"),
    .understood("absolute form of https", get("https://a/x"), ["GET /x "], "RFC 9112 §3.2.2"),
    .understood("absolute form without path", get("http://a"), ["GET / "], "RFC 9112 §3.2.1"),
    .understood("absolute form without path, with a query", get("http://a?b"), ["GET /?b "], "RFC 9112 §3.2.1"),
    .understood(
      "h2c upgrade with a body",
      post("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nContent-Length: 5"),
      ["POST / hello"], "H2C, RFC 9110 §7.8"),
    .understood(
      "h2c upgrade without its Connection", field("Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk"), ["GET / "],
      "H2C, RFC 9110 §7.8"),
    .understood(
      "upgrade in HTTP/1.0", "GET / HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", ["GET / "],
      ending: .closed, "RFC 9110 §7.8"),
    .understood(
      "TRACE with secrets", "TRACE / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer x\r\n\r\n", ["TRACE / "],
      "RFC 9110 §9.3.8"),
    .understood(
      "trailers that were announced",
      post(
        "Transfer-Encoding: chunked\r\nTrailer: X-Sum, Expires", "5\r\nhello\r\n0\r\nX-Sum: 1\r\nExpires: 0\r\n\r\n"),
      ["POST / hello"], "RFC 9110 §6.6.2"),
    .understood(
      "trailers that nobody announced", chunked("5\r\nhello\r\n0\r\nX-Sum: 1\r\nX-Sum: 2\r\n\r\n"), ["POST / hello"],
      "RFC 9112 §7.1.2"),
    .understood(
      "trailers that change the connection", chunked("0\r\nConnection: close\r\nKeep-Alive: timeout=1\r\n\r\n"),
      ["POST / "], "RFC 9110 §6.5.1"),
    .understood(
      "trailers that ask for more", chunked("0\r\nExpect: x\r\nUpgrade: h2c\r\nRange: bytes=0-0\r\n\r\n"), ["POST / "],
      "RFC 9110 §6.5.1"),
    .understood(
      "trailers with a forged address", chunked("0\r\nX-Forwarded-For: 127.0.0.1\r\nCookie: a=b\r\n\r\n"), ["POST / "],
      "RFC 9110 §6.5.1"),
    .understood(
      "trailer announced, and length as it",
      post(
        "Transfer-Encoding: chunked\r\nTrailer: Content-Length",
        "0\r\nContent-Length: 46\r\n\r\n" + get("/after")), ["POST / ", "GET /after "], "RFC 9110 §6.5.1"),
    .understood(
      "trailers without end", post("Connection: close\r\nTransfer-Encoding: chunked", "5\r\nhello\r\n0\r\nX: y\r\n"),
      [],
      ending: .awaited, "RFC 9112 §7.1.2"),
  ]

  private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }
}
