/// The published classes of request smuggling: two lengths, hidden lengths, hidden codings.
///
/// CL.TE, TE.CL, TE.TE: J. Kettle, "HTTP Desync Attacks", 2019. CL.0 and pause-based: "Browser-Powered Desync Attacks",
/// 2022. 0.CL and Expect: "HTTP/1.1 Must Die", 2025. H2C: J. Miller, "h2c Smuggling", 2020.
extension HostileRequest {
  private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"

  /// A chunked body, and behind its end what another server would take for a request.
  private static func coded(_ lines: String) -> String { post(lines, "0\r\n\r\n" + smuggled) }

  /// A body of five bytes and a smuggled request behind it.
  private static func counted(_ lines: String) -> String { post(lines, "hello" + smuggled) }

  static let smuggling: [HostileRequest] = [
    .refused("CL.TE", post("Content-Length: 6\r\nTransfer-Encoding: chunked", "0\r\n\r\nG"), "CL.TE, RFC 9112 §6.1"),
    .refused(
      "TE.CL", post("Transfer-Encoding: chunked\r\nContent-Length: 4", "5c\r\n" + smuggled), "TE.CL, RFC 9112 §6.1"),
    .refused("TE.0", coded("Content-Length: 0\r\nTransfer-Encoding: chunked"), "TE.0, RFC 9112 §6.1"),
    .refused("CL.CL", counted("Content-Length: 5\r\nContent-Length: 46"), "CL.CL, RFC 9112 §6.3"),
    .refused("CL.CL, second zero", counted("Content-Length: 46\r\nContent-Length: 0"), "CL.CL, RFC 9112 §6.3"),
    .refused("CL.CL by case", counted("Content-Length: 5\r\ncontent-length: 46"), "CL.CL, RFC 9112 §6.3"),
    .refused("0.CL by folding", counted("Content-Length:\r\n 46"), "0.CL, RFC 9112 §5.2"),
    .refused("0.CL by a folded name", counted("X: y\r\n Content-Length: 46"), "0.CL, RFC 9112 §5.2"),
    .refused("0.CL by a bare LF", counted("X: y\nContent-Length: 46"), "0.CL, RFC 9112 §2.2"),
    .refused("0.CL by a bare CR", counted("X: y\rContent-Length: 46"), "0.CL, RFC 9110 §5.5"),
    .refused(
      "length after white space in the first line", "POST / HTTP/1.1\r\n Content-Length: 5\r\n\r\n", "RFC 9112 §2.2"),
    .refused("length with a vertical tab", counted("Content-Length: 5\u{B}"), "CL obfuscation, RFC 9110 §5.5"),
    .refused("length with a form feed", counted("Content-Length: \u{C}5"), "CL obfuscation, RFC 9110 §5.5"),
    .refused("length with NUL", counted("Content-Length: 5\u{0}"), "CL obfuscation, RFC 9110 §5.5"),
    .refused("length with a no-break space", counted("Content-Length: \u{A0}5"), "CL obfuscation, RFC 9110 §8.6"),
    .refused("length list, different", counted("Content-Length: 5, 46"), "CL obfuscation, RFC 9110 §8.6"),
    .refused("length list, empty first", counted("Content-Length: ,5"), "CL obfuscation, RFC 9110 §8.6"),
    .refused("length list, empty last", counted("Content-Length: 5,"), "CL obfuscation, RFC 9110 §8.6"),
    .refused("length with a parameter", counted("Content-Length: 5;q=1"), "CL obfuscation, RFC 9110 §8.6"),
    .refused("length in quotes", counted("Content-Length: \"5\""), "CL obfuscation, RFC 9110 §8.6"),
    .refused("length and a word", counted("Content-Length: 5 bytes"), "CL obfuscation, RFC 9110 §8.6"),
    .refused("length with an exponent", counted("Content-Length: 5e0"), "CL obfuscation, RFC 9110 §8.6"),
    .refused("binary length", counted("Content-Length: 0b101"), "CL obfuscation, RFC 9110 §8.6"),
    .refused("octal length", counted("Content-Length: 0o5"), "CL obfuscation, RFC 9110 §8.6"),
    .refused("length with a suffix", counted("Content-Length: 5h"), "CL obfuscation, RFC 9110 §8.6"),
    .refused("minus zero", counted("Content-Length: -0"), "CL.0, RFC 9110 §8.6"),
    .refused("plus zero", counted("Content-Length: +0"), "CL.0, RFC 9110 §8.6"),
    .refused("name of the length with NUL", counted("Content-Length\u{0}: 5"), "CL obfuscation, RFC 9110 §5.1"),
    .refused("name of the length with a no-break space", counted("Content-Length\u{A0}: 5"), "RFC 9110 §5.1"),
    .refused("length in a header without name", counted(":Content-Length: 5"), "RFC 9110 §5.1"),

    .refused(
      "TE.TE, second unknown", coded("Transfer-Encoding: chunked\r\nTransfer-Encoding: x"), "TE.TE, RFC 9112 §6.1"),
    .refused(
      "TE.TE, first unknown", coded("Transfer-Encoding: x\r\nTransfer-Encoding: chunked"), "TE.TE, RFC 9112 §6.1"),
    .refused("TE.TE by case", coded("Transfer-Encoding: chunked\r\ntransfer-encoding: cow"), "TE.TE, RFC 9112 §6.1"),
    .refused("TE.TE, empty second", coded("Transfer-Encoding: chunked\r\nTransfer-Encoding:"), "TE.TE, RFC 9112 §6.1"),
    .refused("coding behind a bare LF", coded("X: y\nTransfer-Encoding: chunked"), "TE.TE, RFC 9112 §2.2"),
    .refused("coding behind a bare CR", coded("X: y\rTransfer-Encoding: chunked"), "TE.TE, RFC 9110 §5.5"),
    .refused("coding in a folded line", coded("X: y\r\n Transfer-Encoding: chunked"), "TE.TE, RFC 9112 §5.2"),
    .refused("coding folded after the name", coded("Transfer-Encoding\r\n : chunked"), "TE.TE, RFC 9112 §5"),
    .refused("coding with a folded list", coded("Transfer-Encoding: chunked\r\n , gzip"), "TE.TE, RFC 9112 §5.2"),
    .refused("coding with NUL behind", coded("Transfer-Encoding: chunked\u{0}"), "TE.TE, RFC 9110 §5.5"),
    .refused("coding with NUL before", coded("Transfer-Encoding: \u{0}chunked"), "TE.TE, RFC 9110 §5.5"),
    .refused("coding with a vertical tab behind", coded("Transfer-Encoding: chunked\u{B}"), "TE.TE, RFC 9110 §5.5"),
    .refused("coding with a form feed", coded("Transfer-Encoding: \u{C}chunked"), "TE.TE, RFC 9110 §5.5"),
    .refused("coding with a no-break space", coded("Transfer-Encoding: \u{A0}chunked"), "TE.TE, RFC 9112 §6.1"),
    .refused("coding with a byte-order mark", coded("Transfer-Encoding: \u{FEFF}chunked"), "TE.TE, RFC 9112 §6.1"),
    .refused("coding with a foreign letter", coded("Transfer-Encoding: c\u{0127}unked"), "TE.TE, RFC 9112 §6.1"),
    .refused("coding that grows by case folding", coded("Transfer-Encoding: chun\u{212A}ed"), "TE.TE, RFC 9110 §7.4"),
    .refused("coding with a tab in the name", coded("Transfer-Encoding\t: chunked"), "TE.TE, RFC 9112 §5.1"),
    .refused(
      "coding with a vertical tab in the name", coded("Transfer-Encoding\u{B}: chunked"), "TE.TE, RFC 9110 §5.1"),
    .refused("coding with NUL in the name", coded("Transfer-Encoding\u{0}: chunked"), "TE.TE, RFC 9110 §5.1"),
    .refused("coding with NUL before the name", coded("\u{0}Transfer-Encoding: chunked"), "TE.TE, RFC 9110 §5.1"),
    .refused(
      "coding after a space before the name", coded("X: y\r\n\tTransfer-Encoding: chunked"), "TE.TE, RFC 9112 §5.2"),
    .refused("coding in single quotes", coded("Transfer-Encoding: 'chunked'"), "TE.TE, RFC 9112 §6.1"),
    .refused("coding in brackets", coded("Transfer-Encoding: [chunked]"), "TE.TE, RFC 9112 §6.1"),
    .refused("coding with a semicolon", coded("Transfer-Encoding: chunked;"), "TE.TE, RFC 9112 §6.1"),
    .refused("coding list, empty first", coded("Transfer-Encoding: ,chunked"), "TE.TE, RFC 9112 §6.1"),
    .refused("chunked, identity", coded("Transfer-Encoding: chunked, identity"), "TE.TE, RFC 9112 §6.1"),
    .refused("identity, chunked", coded("Transfer-Encoding: identity, chunked"), "TE.TE, RFC 9112 §6.1"),
    .refused("chunked in two words", coded("Transfer-Encoding: chun ked"), "TE.TE, RFC 9112 §6.1"),
    .refused("coding with a colon", coded("Transfer-Encoding:: chunked"), "TE.TE, RFC 9112 §6.1"),

    .refused("expectation hidden by a word", field("Expect: y 100-continue"), 417, "Expect desync, RFC 9110 §10.1.1"),
    .refused("expectation in a list", field("Expect: 100-continue, x"), 417, "Expect desync, RFC 9110 §10.1.1"),
    .refused("expectation twice, one unknown", field("Expect: 100-continue\r\nExpect: x"), 417, "RFC 9110 §10.1.1"),
    .refused("empty expectation", field("Expect:"), 417, "Expect desync, RFC 9110 §10.1.1"),
    .refused("expectation folded", field("Expect:\r\n 100-continue"), "Expect desync, RFC 9112 §5.2"),
    .refused(
      "expectation with a length above the limit", post("Expect: 100-continue\r\nContent-Length: 1048577"), 413,
      "RFC 9110 §10.1.1"),
    .refused(
      "HTTP/2 with prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u{0}\u{0}\u{0}", 505, "H2C, RFC 9113 §3.4"),
    .refused("PROXY protocol version 1", "PROXY TCP4 192.0.2.1 192.0.2.2 1 80\r\n" + smuggled, "RFC 9112 §3"),
    .refused(
      "PROXY protocol version 2", bytes: Array("\r\n\r\n\u{0}\r\nQUIT\n".utf8) + [0x21, 0x11, 0, 0], 400,
      "RFC 9112 §2.2"),
    .refused("SOCKS", bytes: [5, 1, 0, 13, 10], 400, "RFC 9112 §3"),
    .refused("SMTP", "HELO a\r\n", "RFC 9112 §3"),
  ]

  /// Chunks that two servers would cut in two ways (J. Bonde Weikop, "Funky Chunks", 2025).
  static let smugglingChunks: [HostileRequest] = [
    .refused("TERM.EXT", chunked("2;\nxx\r\n0\r\n\r\n" + smuggled), "TERM.EXT, RFC 9112 §7.1.1"),
    .refused("EXT.TERM", chunked("2;a\nb\r\n0\r\n\r\n" + smuggled), "EXT.TERM, RFC 9112 §7.1.1"),
    .refused("EXT.TERM with CR", chunked("2;a\rb\r\nxx\r\n0\r\n\r\n"), "EXT.TERM, RFC 9112 §7.1.1"),
    .refused("TERM.SPILL", chunked("5\r\nhelloXX0\r\n\r\n" + smuggled), "TERM.SPILL, RFC 9112 §7.1"),
    .refused("SPILL.TERM", chunked("5\r\nhello\n0\r\n\r\n" + smuggled), "SPILL.TERM, RFC 9112 §7.1"),
    .refused("ONE.TWO", chunked("2\r\nxx\r0\r\n\r\n"), "ONE.TWO, RFC 9112 §7.1"),
    .refused("LF CR behind the data", chunked("2\r\nxx\n\r0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("chunk size with a comma", chunked("5,5\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("chunk size with an underscore", chunked("0_5\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("chunk size with a fraction", chunked("5.0\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("chunk size with NUL", chunked("5\u{0}\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("chunk size with a suffix", chunked("5h\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("chunk size with other digits", chunked("\u{FF15}\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("chunk size and a tab", chunked("5\t\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1.1"),
    .refused("chunk size of one bit too many", chunked("8000000000000000\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused(
      "chunk size that wraps to the right one", chunked("100000000000000000000005\r\nhello\r\n0\r\n\r\n"),
      "RFC 9112 §7.1"),
    .refused("last chunk with a bare LF", chunked("0\n\r\n"), "RFC 9112 §7.1"),
    .refused("last chunk with CR alone", chunked("0\r\n\rGET / HTTP/1.1\r\n"), "RFC 9112 §7.1"),
    .refused("data behind the last chunk", chunked("0\r\nhello\r\n\r\n"), "RFC 9112 §7.1.2"),
    .refused("trailer without name", chunked("0\r\n: x\r\n\r\n"), "RFC 9112 §7.1.2"),
    .refused("trailer with a bare LF", chunked("0\r\nX: a\nY: b\r\n\r\n"), "RFC 9112 §2.2"),
    .refused("quoted extension over a line break", chunked("5;a=\"\r\n\"\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1.1"),
  ]
}
