/// Chunked bodies (RFC 9112 §7.1).
extension HostileRequest {
  static let chunks: [HostileRequest] = [
    .refused("chunk size missing", chunked("\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("chunk size no number", chunked("g\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("chunk size negative", chunked("-5\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("chunk size with plus", chunked("+5\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("chunk size with prefix", chunked("0x5\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("chunk size after a space", chunked(" 5\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("chunk size and a space", chunked("5 \r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1.1"),
    .refused("chunk size and text", chunked("5 x\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1.1"),
    .refused("chunk size that overflows", chunked("10000000000000005\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("chunk size negative by overflow", chunked("fffffffffffffffb\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("chunk above the body limit", chunked("100001\r\n"), 413, "RFC 9110 §15.5.14"),
    .refused("bare LF after the chunk size", chunked("5\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("bare CR in the chunk size", chunked("5\r5\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("no line break after the data", chunked("5\r\nhello0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("bare LF after the data", chunked("5\r\nhello\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("bare CR after the data", chunked("5\r\nhello\r0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("data longer than its size", chunked("4\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1"),
    .refused("NUL in an extension", chunked("5;a\u{0}b\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1.1"),
    .refused("extension with a bare CR", chunked("5;a\rb\r\nhello\r\n0\r\n\r\n"), "RFC 9112 §7.1.1"),
    .refused("trailer without colon", chunked("0\r\nbroken\r\n\r\n"), "RFC 9112 §7.1.2"),
    .refused("folded trailer", chunked("0\r\nX: a\r\n b\r\n\r\n"), "RFC 9112 §5.2"),
    .refused("space in the name of a trailer", chunked("0\r\nX : a\r\n\r\n"), "RFC 9112 §5.1"),
    .refused("NUL in a trailer", chunked("0\r\nX: \u{0}\r\n\r\n"), "RFC 9110 §5.5"),
    .refused("bare LF ends the trailers", chunked("0\r\n\n"), "RFC 9112 §7.1"),
  ]
}
