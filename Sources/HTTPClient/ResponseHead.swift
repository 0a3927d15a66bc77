internal import PlainText
internal import Reactor

/// The status line and header fields of a response.
struct ResponseHead {
  var status = 0
  var fields: [(name: String, value: String)] = []
  var contentLength: Int?
  var isChunked = false
  var keepsAlive = true

  init() {}

  /// Parses a status line and headers.
  /// - Parameter bytes: everything before the empty line.
  init(_ bytes: Span<UInt8>) throws(MalformedResponse) {
    var closes = false
    var staysOpen = false
    var isOld = false
    var start = 0
    while start <= bytes.count {
      let end = bytes.endOfLine(from: start)
      let line = bytes.extracting(start..<end)
      if start == 0 {
        isOld = try readStatusLine(line)
      } else {
        let field = try Self.field(line)
        fields.append(field)
        switch field.name.lowercased() {
        case "content-length": try readLength(field.value)
        case "transfer-encoding": try readCoding(field.value)
        case "connection":
          let options = field.value.lowercased().split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
          if options.contains("close") { closes = true }
          if options.contains("keep-alive") { staysOpen = true }
        default: break
        }
      }
      start = end + 2
    }
    guard !(isChunked && contentLength != nil) else {
      throw MalformedResponse(reason: "it has two lengths")
    }
    keepsAlive = !closes && (!isOld || staysOpen)
  }

  /// Parses `HTTP/1.x SP 3DIGIT SP [reason]`. Returns true for HTTP/1.0.
  private mutating func readStatusLine(_ line: Span<UInt8>) throws(MalformedResponse) -> Bool {
    let text = String(copying: line)
    let words = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[0].utf8.count == 8,
      words[1].utf8.count == 3, words[1].utf8.allSatisfy({ (48...57).contains($0) }),
      let code = Int(words[1]), (100...599).contains(code), !text.utf8.contains(where: HTTPToken.isControl)
    else { throw MalformedResponse(reason: "it has no status line") }
    status = code
    return words[0] == "HTTP/1.0"
  }

  /// Parses `name ":" OWS value OWS`. Folded lines are invalid, because their name would begin with white space. Limits
  /// the combining marks in the value (`PlainText`).
  static func field(_ line: Span<UInt8>) throws(MalformedResponse) -> (name: String, value: String) {
    var colon = 0
    while colon < line.count, HTTPToken.isToken(line[colon]) { colon += 1 }
    guard colon > 0, colon < line.count, line[colon] == UInt8(ascii: ":") else {
      throw MalformedResponse(reason: "a header has no proper name")
    }
    var start = colon + 1
    var end = line.count
    while start < end, line[start] == 0x20 || line[start] == 0x09 { start += 1 }
    while end > start, line[end - 1] == 0x20 || line[end - 1] == 0x09 { end -= 1 }
    for index in start..<end where HTTPToken.isControl(line[index]) {
      throw MalformedResponse(reason: "a header holds a control character")
    }
    return (String(copying: line.extracting(0..<colon)), String(copying: line.extracting(start..<end)).streamSafe)
  }

  private mutating func readLength(_ value: String) throws(MalformedResponse) {
    guard contentLength == nil, !value.isEmpty, value.utf8.allSatisfy({ (48...57).contains($0) }),
      let length = Int(value)
    else { throw MalformedResponse(reason: "its length is no number, or repeated") }
    contentLength = length
  }

  private mutating func readCoding(_ value: String) throws(MalformedResponse) {
    guard !isChunked, value.lowercased() == "chunked" else {
      throw MalformedResponse(reason: "its transfer coding is not known")
    }
    isChunked = true
  }
}

extension Span<UInt8> {
  /// Returns the end of the line that begins at `start`: the index of its CR LF, or the end of the bytes.
  func endOfLine(from start: Int) -> Int {
    var index = start
    while index + 1 < count {
      if self[index] == 13, self[index + 1] == 10 { return index }
      index += 1
    }
    return count
  }
}
