/// Forms, files and headers that cost a reader more than others of their length.
enum WorstForm: String, CaseIterable {
  case fields, repeated, empties, ampersands, escapes, marks, markedName, list, marksInList
  case parts, partHeaders, partMarks, boundaries, returns, quotes

  private static let boundary = "----------x1"

  var isMultipart: Bool {
    switch self {
    case .parts, .partHeaders, .partMarks, .boundaries, .returns, .quotes: true
    default: false
    }
  }

  /// Those in which a field has the worst value, and may be read as a number, a list, a key.
  var hasField: Bool {
    switch self {
    case .escapes, .marks, .list, .marksInList, .partMarks: true
    default: false
    }
  }

  var contentType: String {
    isMultipart ? "multipart/form-data; boundary=\(Self.boundary)" : "application/x-www-form-urlencoded"
  }

  /// - Parameter field: the name of the field that has the worst value.
  func body(_ bytes: Int, field: String) -> String {
    switch self {
    case .fields: (0..<bytes / 9).map { "f\($0)=1" }.joined(separator: "&")
    case .repeated: String(repeating: "a=&", count: bytes / 3)
    case .empties: String(repeating: "=&", count: bytes / 2)
    case .ampersands: String(repeating: "&", count: bytes)
    case .escapes: "\(field)=" + String(repeating: "%41", count: bytes / 3)
    case .marks: "\(field)=a" + String(repeating: "%CC%81%CC%96", count: bytes / 12)
    case .markedName: "a" + String(repeating: "%CC%81%CC%96", count: bytes / 12) + "=1"
    case .list: "\(field)=%5B" + (0..<bytes / 8).map { "%22\($0)%22" }.joined(separator: ",") + "%5D"
    case .marksInList: "\(field)=%5B%22a" + String(repeating: #"%5Cu0301%5Cu0316"#, count: bytes / 16) + "%22%5D"
    case .parts: String(repeating: part("a", ""), count: bytes / part("a", "").utf8.count) + "--\(Self.boundary)--\r\n"
    case .partHeaders:
      "--\(Self.boundary)\r\n" + String(repeating: "X: y\r\n", count: bytes / 6) + "\r\n\r\n--\(Self.boundary)--\r\n"
    case .partMarks:
      part(field, "a" + String(repeating: "\u{301}\u{316}", count: bytes / 4)) + "--\(Self.boundary)--\r\n"
    case .boundaries: part(field, String(repeating: "\r\n--\(Self.boundary.dropLast())", count: bytes / 15))
    case .returns: part(field, String(repeating: "\r", count: bytes))
    case .quotes:
      "--\(Self.boundary)\r\nContent-Disposition: form-data; name=\"" + String(repeating: "\\\"; a=", count: bytes / 6)
    }
  }

  private func part(_ name: String, _ value: String) -> String {
    "--\(Self.boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n"
  }
}

/// Files of comma-separated lines.
enum WorstFile: String, CaseIterable {
  case quotes, oddQuotes, oneQuote, commas, lines, returns, columns, marks, bytes, names

  func body(_ bytes: Int) -> String {
    switch self {
    case .quotes: String(repeating: "\"", count: bytes)
    case .oddQuotes: String(repeating: "\"a\n", count: bytes / 3)
    case .oneQuote: "\"" + String(repeating: "a,b\n", count: bytes / 4)
    case .commas: String(repeating: ",", count: bytes)
    case .lines: String(repeating: "\n", count: bytes)
    case .returns: String(repeating: "\r", count: bytes)
    case .columns: "CUID," + (0..<bytes / 8).map { "VAR\($0)" }.joined(separator: ",") + "\nkim\n"
    case .marks: "CUID,NAME\na" + String(repeating: "\u{301}\u{316}", count: bytes / 4) + ",x\n"
    case .bytes: String(repeating: "x", count: bytes)
    case .names: "clientUid\n" + (0..<bytes / 7).map { "u\($0)" }.joined(separator: "\n") + "\n"
    }
  }
}

/// Request heads. The largest that the engine takes has 64 KiB, one line of it 8.
enum WorstHead: String, CaseIterable {
  case headers, forwarded, cookies, ranges, types, marks, authorization, tags, query, queryEscapes, segments,
    escapedPath

  /// The request line and headers of a head with about so many bytes, at most 7,800.
  func lines(_ bytes: Int, path: String) -> String {
    func line(_ name: String, _ piece: String) -> String {
      "GET \(path) HTTP/1.1\n\(name): " + String(repeating: piece, count: bytes / piece.utf8.count)
    }
    func target(_ more: String) -> String { "GET \(path)\(more) HTTP/1.1" }
    return switch self {
    case .headers: "GET \(path) HTTP/1.1\n" + (0..<bytes / 80).map { "X-\($0): y" }.joined(separator: "\n")
    case .forwarded: line("X-Forwarded-For", "1.2.3.4,")
    case .cookies: line("Cookie", "upmc-session=a; ")
    case .ranges: line("Range", "bytes=0-1,")
    case .types: line("Accept-Language", "ko;q=0.1,")
    case .marks: line("Content-Type", "\u{301}\u{316}")
    case .authorization: line("Authorization", "Bearer ")
    case .tags: line("If-None-Match", "\"a\",")
    case .query: target("?" + String(repeating: "a&", count: bytes / 2))
    case .queryEscapes: target("?appId=a" + String(repeating: "%CC%81%CC%96", count: bytes / 12))
    case .segments: target(String(repeating: "/", count: bytes))
    case .escapedPath: target("/a" + String(repeating: "%CC%81%CC%96", count: bytes / 12))
    }
  }
}
