/// Content-Length and Transfer-Encoding (RFC 9112 §6).
extension HostileRequest {
  static let framing: [HostileRequest] = [
    .refused("two lengths that differ", post("Content-Length: 5\r\nContent-Length: 6"), "RFC 9112 §6.3"),
    .refused("two lengths alike", post("Content-Length: 5\r\nContent-Length: 5"), "RFC 9112 §6.3"),
    .refused("a list of lengths", post("Content-Length: 5, 5"), "RFC 9112 §6.3"),
    .refused("empty length", post("Content-Length:"), "RFC 9110 §8.6"),
    .refused("negative length", post("Content-Length: -5"), "RFC 9110 §8.6"),
    .refused("length with a plus", post("Content-Length: +5"), "RFC 9110 §8.6"),
    .refused("hexadecimal length", post("Content-Length: 0x5"), "RFC 9110 §8.6"),
    .refused("length with a fraction", post("Content-Length: 5.0"), "RFC 9110 §8.6"),
    .refused("length with a space inside", post("Content-Length: 5 5"), "RFC 9110 §8.6"),
    .refused("length with a separator", post("Content-Length: 1_0"), "RFC 9110 §8.6"),
    .refused("length with other digits", post("Content-Length: ５"), "RFC 9110 §8.6"),
    .refused("length that overflows", post("Content-Length: 9223372036854775808"), "RFC 9112 §6.3"),
    .refused("length that wraps around", post("Content-Length: 18446744073709551621"), "RFC 9112 §6.3"),
    .refused("length of thirty digits", post("Content-Length: 100000000000000000000000000005"), "RFC 9112 §6.3"),
    .refused("length above the limit", post("Content-Length: 1048577"), 413, "RFC 9110 §15.5.14"),
    .refused("length and chunks", post("Content-Length: 5\r\nTransfer-Encoding: chunked"), "RFC 9112 §6.1"),
    .refused("chunks and length", post("Transfer-Encoding: chunked\r\nContent-Length: 5"), "RFC 9112 §6.1"),
    .refused("chunks and length zero", post("Transfer-Encoding: chunked\r\nContent-Length: 0"), "RFC 9112 §6.1"),
    .refused("chunked twice", post("Transfer-Encoding: chunked, chunked"), "RFC 9112 §6.1"),
    .refused("chunked in two lines", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), "RFC 9112 §6.1"),
    .refused("gzip, chunked", post("Transfer-Encoding: gzip, chunked"), "RFC 9112 §6.1"),
    .refused("chunked, gzip", post("Transfer-Encoding: chunked, gzip"), "RFC 9112 §6.1"),
    .refused("gzip alone", post("Transfer-Encoding: gzip"), "RFC 9112 §6.1"),
    .refused("identity", post("Transfer-Encoding: identity"), "RFC 9112 §6.1"),
    .refused(
      "identity, then chunked", post("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked"), "RFC 9112 §6.1"),
    .refused("empty coding", post("Transfer-Encoding:"), "RFC 9112 §6.1"),
    .refused("chunked with a parameter", post("Transfer-Encoding: chunked;q=1"), "RFC 9112 §6.1"),
    .refused("chunked in quotes", post("Transfer-Encoding: \"chunked\""), "RFC 9112 §6.1"),
    .refused("chunked with a vertical tab", post("Transfer-Encoding: \u{B}chunked"), "RFC 9110 §5.5"),
    .refused("xchunked", post("Transfer-Encoding: xchunked"), "RFC 9112 §6.1"),
    .refused("chunked with a comma", post("Transfer-Encoding: chunked,"), "RFC 9112 §6.1"),
    .refused("space before the colon of the length", post("Content-Length : 5"), "RFC 9112 §5.1"),
    .refused("space before the colon of the coding", post("Transfer-Encoding : chunked"), "RFC 9112 §5.1"),
    .refused("folded coding", post("Transfer-Encoding:\r\n chunked"), "RFC 9112 §5.2"),
    .refused(
      "chunks in HTTP/1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "RFC 9112 §6.1"
    ),
  ]
}
