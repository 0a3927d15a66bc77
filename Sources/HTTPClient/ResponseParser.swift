/// Reads answers out of bytes as they come (RFC 9112). Pure: bytes in, at most one answer out.
struct ResponseParser {
  enum Outcome {
    case needMore
    /// An answer, how many bytes it took, and whether the connection may be used again.
    case complete(HTTPResponse, consumed: Int, keepsAlive: Bool)
    case malformed(String)
  }

  private enum Length {
    case none
    case bytes(Int)
    case chunked
    case untilClose
  }

  /// - Parameters:
  ///   - bytes: all that has come and was not consumed.
  ///   - isHead: the request was HEAD.
  ///   - isEnd: the peer has closed: nothing more comes.
  static func parse(_ bytes: [UInt8], isHead: Bool, isEnd: Bool) -> Outcome {
    var start = 0
    while true {
      guard let end = endOfHead(bytes, from: start) else {
        return bytes.count > HTTPClient.Limits.headBytes ? .malformed("its head is too long") : .needMore
      }
      let lines = String(decoding: bytes[start..<end], as: UTF8.self).split(separator: "\r\n")
      guard let first = lines.first, let status = status(of: first) else { return .malformed("no status line") }
      // 1xx only announces; the answer follows (RFC 9110, section 15.2).
      if (100..<200).contains(status) {
        start = end + 4
        continue
      }
      let headers = lines.dropFirst().map(field)
      return body(bytes, from: end + 4, status, headers, isHead: isHead, isEnd: isEnd, version: first)
    }
  }

  private static func endOfHead(_ bytes: [UInt8], from start: Int) -> Int? {
    guard bytes.count >= start + 4 else { return nil }
    for index in start...(bytes.count - 4)
    where bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13 && bytes[index + 3] == 10 {
      return index
    }
    return nil
  }

  private static func status(of line: Substring) -> Int? {
    let parts = line.split(separator: " ", maxSplits: 2)
    guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), parts[1].count == 3 else { return nil }
    return Int(parts[1])
  }

  private static func field(_ line: Substring) -> (name: String, value: String) {
    let colon = line.firstIndex(of: ":") ?? line.endIndex
    var value = colon == line.endIndex ? "" : line[line.index(after: colon)...]
    while value.first == " " { value.removeFirst() }
    while value.last == " " { value.removeLast() }
    return (String(line[..<colon]), String(value))
  }

  private static func body(
    _ bytes: [UInt8], from start: Int, _ status: Int, _ headers: [(name: String, value: String)], isHead: Bool,
    isEnd: Bool, version: Substring
  ) -> Outcome {
    func value(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value.lowercased() }
    let closes = value("connection") == "close" || version.hasPrefix("HTTP/1.0")
    func complete(_ body: ArraySlice<UInt8>, _ consumed: Int, closes: Bool) -> Outcome {
      .complete(
        HTTPResponse(status: status, headers: headers, body: Array(body)), consumed: consumed, keepsAlive: !closes)
    }
    switch length(value, status, isHead) {
    case .none: return complete([], start, closes: closes)
    case .bytes(let count):
      guard count <= HTTPClient.Limits.bodyBytes else { return .malformed("its body is too long") }
      if bytes.count >= start + count { return complete(bytes[start..<start + count], start + count, closes: closes) }
      return .needMore
    case .chunked:
      return ChunkedBody.parse(bytes, from: start) { complete($0[...], $1, closes: closes) }
    case .untilClose:
      return isEnd ? complete(bytes[start...], bytes.count, closes: true) : .needMore
    }
  }

  private static func length(_ value: (String) -> String?, _ status: Int, _ isHead: Bool) -> Length {
    if isHead || status == 204 || status == 304 { return .none }
    if value("transfer-encoding") == "chunked" { return .chunked }
    if let count = value("content-length").flatMap({ Int($0) }), count >= 0 { return .bytes(count) }
    return .untilClose
  }
}

/// A body in chunks (RFC 9112, section 7.1).
enum ChunkedBody {
  static func parse(
    _ bytes: [UInt8], from start: Int, _ complete: ([UInt8], Int) -> ResponseParser.Outcome
  ) -> ResponseParser.Outcome {
    var body: [UInt8] = []
    var index = start
    while true {
      guard let end = line(bytes, from: index) else { return .needMore }
      let digits = bytes[index..<end].prefix { $0 != UInt8(ascii: ";") }
      guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0 else {
        return .malformed("a chunk without size")
      }
      guard body.count + size <= HTTPClient.Limits.bodyBytes else { return .malformed("its body is too long") }
      index = end + 2
      if size == 0 { break }
      guard bytes.count >= index + size + 2 else { return .needMore }
      body += bytes[index..<index + size]
      index += size + 2
    }
    // Trailers, up to the empty line.
    while let end = line(bytes, from: index) {
      if end == index { return complete(body, end + 2) }
      index = end + 2
    }
    return .needMore
  }

  /// Where the line that begins at `start` ends.
  private static func line(_ bytes: [UInt8], from start: Int) -> Int? {
    var index = start
    while index + 1 < bytes.count {
      if bytes[index] == 13, bytes[index + 1] == 10 { return index }
      index += 1
    }
    return nil
  }
}
