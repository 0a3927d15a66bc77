/// One answer as the client reads it, by the rules of RFC 9112 §6.3.
struct Answer {
  var status: Int
  var headers: [(name: String, value: String)]
  var body: String

  /// Takes one answer off the front; nil when it is not complete.
  init?(parsing bytes: inout [UInt8], toHead: Bool, isEnded: Bool) {
    guard let headEnd = Self.find([13, 10, 13, 10], in: bytes) else { return nil }
    let lines = String(decoding: bytes[..<headEnd], as: UTF8.self).split(separator: "\r\n")
    let words = lines[0].split(separator: " ", maxSplits: 2)
    guard words.count >= 2, words[0] == "HTTP/1.1", let code = Int(words[1]) else { return nil }
    status = code
    headers = lines.dropFirst().map { line in
      let colon = line.firstIndex(of: ":")!
      return (line[..<colon].lowercased(), String(line[line.index(colon, offsetBy: 2)...]))
    }
    body = ""
    if let length = header("content-length").flatMap({ Int($0) }), !toHead, bytes.count < headEnd + 4 + length {
      return nil
    }
    var rest = Array(bytes[(headEnd + 4)...])
    if !(toHead || code < 200 || code == 204 || code == 304) {
      if header("transfer-encoding") == "chunked" {
        guard let content = Self.takeChunks(&rest) else { return nil }
        body = String(decoding: content, as: UTF8.self)
      } else if let length = header("content-length").flatMap({ Int($0) }) {
        guard rest.count >= length else { return nil }
        body = String(decoding: rest.prefix(length), as: UTF8.self)
        rest.removeFirst(length)
      } else {
        guard isEnded else { return nil }
        body = String(decoding: rest, as: UTF8.self)
        rest = []
      }
    }
    bytes = rest
  }

  func header(_ name: String) -> String? {
    headers.first { $0.name == name }?.value
  }

  private static func takeChunks(_ bytes: inout [UInt8]) -> [UInt8]? {
    var rest = bytes[...]
    var content: [UInt8] = []
    while true {
      guard let lineEnd = find([13, 10], in: Array(rest)) else { return nil }
      guard let size = Int(String(decoding: rest.prefix(lineEnd), as: UTF8.self), radix: 16) else { return nil }
      rest = rest.dropFirst(lineEnd + 2)
      guard rest.count >= size + 2 else { return nil }
      content += rest.prefix(size)
      rest = rest.dropFirst(size + 2)
      if size == 0 {
        bytes = Array(rest)
        return content
      }
    }
  }

  private static func find(_ needle: [UInt8], in bytes: [UInt8]) -> Int? {
    guard bytes.count >= needle.count else { return nil }
    for start in 0...bytes.count - needle.count where bytes[start] == needle[0] {
      if needle.indices.allSatisfy({ bytes[start + $0] == needle[$0] }) { return start }
    }
    return nil
  }
}
