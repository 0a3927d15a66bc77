/// Parses request targets (RFC 9112 §3.2) and refuses ambiguous paths.
extension RequestHead {
  /// Parses a request target into `path`, `query` and `authority`; `method` must be parsed already. `start..<end` must
  /// not be empty, and its bytes visible ASCII without `#`. Throws if the target has no known form, is `*` without the
  /// method OPTIONS, has an invalid authority or percent-encoding, or has an ambiguous path.
  mutating func parseTarget(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(Malformed) {
    if bytes[start] == UInt8(ascii: "/") {
      try parsePathAndQuery(bytes, start, end)
    } else if end - start == 1, bytes[start] == UInt8(ascii: "*") {
      guard method == .options else {
        throw Malformed(.badRequest, "Only OPTIONS may ask for * (RFC 9112 §3.2.4).")
      }
      path = Slice(start, end)
    } else {
      try parseAbsolute(bytes, start, end)
    }
  }

  /// Parses `http://authority/path?query`, or the same with `https`. Clients send this form to proxies, and every
  /// server must accept it (RFC 9112 §3.2.2).
  private mutating func parseAbsolute(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(Malformed) {
    let schemeEnd = min(end, start + 8)
    let authorityStart: Int
    if bytes.equalsIgnoringCase("https://", start, schemeEnd) {
      authorityStart = start + 8
    } else if bytes.equalsIgnoringCase("http://", start, min(end, start + 7)) {
      authorityStart = start + 7
    } else {
      throw Malformed(.badRequest, "The request target is neither a path nor an http address (RFC 9112 §3.2).")
    }
    var index = authorityStart
    while index < end, bytes[index] != UInt8(ascii: "/"), bytes[index] != UInt8(ascii: "?") { index += 1 }
    guard Authority.isValid(bytes, authorityStart, index) else {
      throw Malformed(.badRequest, "The authority of the request target is not valid (RFC 9110 §4.2.1).")
    }
    authority = Slice(authorityStart, index)
    try parsePathAndQuery(bytes, index, end)
  }

  private mutating func parsePathAndQuery(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(Malformed) {
    var index = start
    var isPlain = true
    var previous = UInt8(ascii: "/")
    while index < end, bytes[index] != UInt8(ascii: "?") {
      let byte = bytes[index]
      // Most paths contain none of these characters, and need only one pass.
      if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\")
        || byte == UInt8(ascii: ".") && previous == UInt8(ascii: "/")
      {
        isPlain = false
      }
      previous = byte
      index += 1
    }
    path = Slice(start, index)
    if !isPlain { try Self.refuseTricks(bytes, start, index) }
    if index < end {
      query = Slice(index + 1, end)
      try Self.checkPercents(bytes, index + 1, end)
    }
  }

  /// Throws for paths that a file system or another server could interpret differently: `.` and `..` segments in any
  /// encoding, encoded slashes, backslashes, encoded control characters, and invalid percent-encoding.
  private static func refuseTricks(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(Malformed) {
    var index = start
    var dots = 0
    var others = 0
    func endSegment() throws(Malformed) {
      if others == 0, dots == 1 || dots == 2 {
        throw Malformed(.badRequest, "The path holds a dot segment; send it resolved (RFC 3986 §5.2.4).")
      }
    }
    while index < end {
      var byte = bytes[index]
      index += 1
      if byte == UInt8(ascii: "/") {
        try endSegment()
        dots = 0
        others = 0
        continue
      }
      if byte == UInt8(ascii: "%") {
        byte = try decodePercent(bytes, &index, end)
        guard byte >= 0x20, byte != 0x7F, byte != UInt8(ascii: "/") else {
          throw Malformed(.badRequest, "The path holds an encoded slash or control character.")
        }
      }
      guard byte != UInt8(ascii: "\\") else { throw Malformed(.badRequest, "The path holds a backslash.") }
      if byte == UInt8(ascii: ".") { dots += 1 } else { others += 1 }
    }
    try endSegment()
  }

  private static func checkPercents(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) throws(Malformed) {
    var index = start
    while index < end {
      index += 1
      if bytes[index - 1] == UInt8(ascii: "%") { _ = try decodePercent(bytes, &index, end) }
    }
  }

  /// Decodes the two hexadecimal digits of a percent-encoded byte. Throws if two such digits do not follow before
  /// `end`.
  /// - Parameter index: index of the byte after the `%`; on return, of the byte after the digits.
  private static func decodePercent(
    _ bytes: Span<UInt8>, _ index: inout Int, _ end: Int
  ) throws(Malformed) -> UInt8 {
    guard end - index >= 2, let high = ByteClass.hexValue(bytes[index]), let low = ByteClass.hexValue(bytes[index + 1])
    else {
      throw Malformed(.badRequest, "A % in the request target is not followed by two digits (RFC 3986 §2.1).")
    }
    index += 2
    return high << 4 | low
  }
}

/// Validates `uri-host [ ":" port ]` (RFC 9110 §7.2): the value of Host, and the authority of an absolute-form target.
enum Authority {
  /// Returns whether the bytes in `start..<end` are a valid authority. The host must not be empty (RFC 9110 §4.2.1);
  /// user information is not allowed (§4.2.4). An address in brackets need only consist of hexadecimal digits, dots and
  /// at least two colons.
  static func isValid(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard start < end else { return false }
    var index = start
    if bytes[start] == UInt8(ascii: "[") {
      index += 1
      var colons = 0
      while index < end, bytes[index] != UInt8(ascii: "]") {
        let byte = bytes[index]
        if byte == UInt8(ascii: ":") { colons += 1 }
        guard ByteClass.hexValue(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") else {
          return false
        }
        index += 1
      }
      guard index < end, colons >= 2 else { return false }
      index += 1
    } else {
      // Nearly all names and addresses end here, with the authority or before its port.
      while index < end, ByteClass.isLetterDigitOrDot(bytes[index]) { index += 1 }
      while index < end, bytes[index] != UInt8(ascii: ":") {
        if bytes[index] == UInt8(ascii: "%") {
          guard end - index >= 3, ByteClass.hexValue(bytes[index + 1]) != nil,
            ByteClass.hexValue(bytes[index + 2]) != nil
          else { return false }
          index += 3
        } else {
          guard ByteClass.isRegisteredName(bytes[index]) else { return false }
          index += 1
        }
      }
      guard index > start else { return false }
    }
    return index == end || isPort(bytes, index, end)
  }

  /// Returns whether the bytes in `start..<end`, which must not be empty, are a colon followed by a number up to 65,535
  /// of at most five digits, or by nothing (RFC 3986 §3.2.3).
  private static func isPort(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard bytes[start] == UInt8(ascii: ":"), end - start <= 6 else { return false }
    var port = 0
    for index in start + 1..<end {
      guard ByteClass.isDigit(bytes[index]) else { return false }
      // Five digits cannot overflow.
      port = port &* 10 &+ Int(bytes[index] &- 0x30)
    }
    return port <= 65_535
  }

  /// Returns whether two authorities have the same text, ignoring ASCII case (RFC 9110 §4.2.3). If only one of them has
  /// a port, they differ, even if it is the default port.
  static func areEqual(_ bytes: Span<UInt8>, _ one: RequestHead.Slice, _ other: RequestHead.Slice) -> Bool {
    guard one.count == other.count else { return false }
    for offset in 0..<Int(one.count) {
      let left = ByteClass.lowercased(bytes[Int(one.start) + offset])
      if left != ByteClass.lowercased(bytes[Int(other.start) + offset]) { return false }
    }
    return true
  }
}
