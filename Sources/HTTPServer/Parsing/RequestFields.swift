/// Parses field lines (RFC 9112 §5), and interprets the fields that determine framing and persistence.
extension RequestHead {
  /// Parses `name ":" OWS value OWS` between `start` and `end`, which excludes the CR LF. Appends the field to
  /// `fields`, and records the values on which framing and persistence depend. Throws if the line is malformed, or if
  /// Content-Length or Transfer-Encoding is malformed or repeated.
  mutating func parseField(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(Malformed) {
    let field = try Self.split(bytes, start, end)
    fields.append(field)
    let nameStart = start
    let nameEnd = start + Int(field.name.count)
    let valueStart = Int(field.value.start)
    let valueEnd = valueStart + Int(field.value.count)
    switch nameEnd - nameStart {
    case 4 where bytes.isName("Host", "host", nameStart, nameEnd):
      hosts += 1
      host = field.value
    case 6 where bytes.equalsIgnoringCase("expect", nameStart, nameEnd):
      let isContinue = bytes.equalsIgnoringCase("100-continue", valueStart, valueEnd)
      expectation = isContinue && expectation != .unknown ? .continue : .unknown
    case 10 where bytes.isName("Connection", "connection", nameStart, nameEnd):
      readConnection(bytes, valueStart, valueEnd)
    case 12 where contentType == nil && bytes.isName("Content-Type", "content-type", nameStart, nameEnd):
      contentType = field.value
    case 14 where bytes.isName("Content-Length", "content-length", nameStart, nameEnd):
      guard contentLength == nil else { throw Malformed(.badRequest, "Content-Length is repeated (RFC 9112 §6.3).") }
      contentLength = try Self.parseLength(bytes, valueStart, valueEnd)
    case 17 where bytes.isName("Transfer-Encoding", "transfer-encoding", nameStart, nameEnd):
      guard !isChunked, bytes.equalsIgnoringCase("chunked", valueStart, valueEnd) else {
        throw Malformed(.badRequest, "Transfer-Encoding must be chunked, once, and nothing else (RFC 9112 §6.1).")
      }
      isChunked = true
    default: break
    }
  }

  /// Splits a line into name and value and validates every byte of both; throws if one is not allowed, or the name or
  /// the colon is missing. Also used for trailers.
  static func split(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(Malformed) -> Field {
    var index = start + lengthOfUsualName(bytes, start, end)
    while index < end, ByteClass.isToken(bytes[index]) { index += 1 }
    guard index > start, index < end, bytes[index] == UInt8(ascii: ":") else {
      throw explainName(bytes, start, index, end)
    }
    let nameEnd = index
    index += 1
    while index < end, isBlank(bytes[index]) { index += 1 }
    let valueStart = index
    var valueEnd = end
    while valueEnd > valueStart, isBlank(bytes[valueEnd - 1]) { valueEnd -= 1 }
    guard !bytes.hasControl(valueStart, valueEnd) else {
      throw Malformed(.badRequest, "A header value holds a control character (RFC 9110 §5.5).")
    }
    return Field(name: Slice(start, nameEnd), value: Slice(valueStart, valueEnd))
  }

  /// Returns the length of a frequent name at the beginning of a line, which need not be looked at byte by byte; 0 if
  /// there is none.
  @inline(__always)
  private static func lengthOfUsualName(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    if bytes.equals("Host", at: start, end) { return 4 }
    guard bytes.equals("Con", at: start, end) else { return 0 }
    if bytes.equals("Content-Length", at: start, end) { return 14 }
    if bytes.equals("Content-Type", at: start, end) { return 12 }
    return 3
  }

  @inline(__always)
  private static func isBlank(_ byte: UInt8) -> Bool { byte == ByteClass.space || byte == ByteClass.tab }

  private static func explainName(_ bytes: Span<UInt8>, _ start: Int, _ index: Int, _ end: Int) -> Malformed {
    if isBlank(bytes[start]) {
      return Malformed(.badRequest, "A header line begins with white space: folding is obsolete (RFC 9112 §5.2).")
    }
    if index == end { return Malformed(.badRequest, "A header line has no colon (RFC 9112 §5).") }
    if isBlank(bytes[index]) {
      return Malformed(.badRequest, "There is white space before the colon of a header (RFC 9112 §5.1).")
    }
    return Malformed(.badRequest, "A header name is empty or holds a character that is not allowed (RFC 9110 §5.1).")
  }

  /// Parses a Content-Length. Throws if it is empty, contains anything but digits, or does not fit an Int64 (RFC 9112
  /// §6.3).
  private static func parseLength(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(Malformed) -> Int {
    guard end > start else { throw Malformed(.badRequest, "Content-Length is empty (RFC 9110 §8.6).") }
    var length = 0
    for index in start..<end {
      guard ByteClass.isDigit(bytes[index]) else {
        throw Malformed(.badRequest, "Content-Length is not a number (RFC 9110 §8.6).")
      }
      let (tenfold, tooLarge) = length.multipliedReportingOverflow(by: 10)
      let (sum, overflows) = tenfold.addingReportingOverflow(Int(bytes[index] - 0x30))
      if tooLarge || overflows { throw Malformed(.badRequest, "Content-Length is too large (RFC 9112 §6.3).") }
      length = sum
    }
    return length
  }

  /// Interprets `Connection`, a list of case-insensitive options (RFC 9110 §7.6.1). Records `close` and `keep-alive`,
  /// and ignores all other options.
  private mutating func readConnection(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
    var index = start
    while index < end {
      var optionEnd = index
      while optionEnd < end, bytes[optionEnd] != UInt8(ascii: ",") { optionEnd += 1 }
      var last = optionEnd
      while index < last, Self.isBlank(bytes[index]) { index += 1 }
      while last > index, Self.isBlank(bytes[last - 1]) { last -= 1 }
      if bytes.equalsIgnoringCase("close", index, last) { asksToClose = true }
      if bytes.equalsIgnoringCase("keep-alive", index, last) { asksToKeepAlive = true }
      index = optionEnd + 1
    }
  }

  /// Performs the checks that need all fields, and determines `framing`, `expectation` and `keepsAlive`. Throws if a
  /// check fails.
  mutating func finish(_ bytes: Span<UInt8>) throws(Malformed) {
    guard hosts == 1 || hosts == 0 && minorVersion == 0 else {
      throw Malformed(.badRequest, "There must be exactly one Host header (RFC 9112 §3.2).")
    }
    guard hosts == 0 || Authority.isValid(bytes, Int(host.start), Int(host.start) + Int(host.count)) else {
      throw Malformed(.badRequest, "The Host header is not valid (RFC 9112 §3.2).")
    }
    guard authority.count == 0 || Authority.areEqual(bytes, authority, host) else {
      throw Malformed(.badRequest, "The request target names another host than the Host header (RFC 9112 §3.2.2).")
    }
    if isChunked {
      guard minorVersion == 1 else {
        throw Malformed(.badRequest, "Transfer-Encoding is not part of HTTP/1.0 (RFC 9112 §6.1).")
      }
      guard contentLength == nil else {
        throw Malformed(.badRequest, "Transfer-Encoding and Content-Length exclude each other (RFC 9112 §6.1).")
      }
      framing = .chunked
    } else if let contentLength, contentLength > 0 {
      framing = .length(contentLength)
    }
    // Expectations of an HTTP/1.0 client are ignored (RFC 9110 §10.1.1).
    if minorVersion == 0 { expectation = .none }
    keepsAlive = !asksToClose && (minorVersion == 1 || asksToKeepAlive)
  }
}
