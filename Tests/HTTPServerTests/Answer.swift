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
    // Where the next answer begins. The rest is not copied, because a burst of answers is megabytes long.
    var end = headEnd + 4
    if !(toHead || code < 200 || code == 204 || code == 304) {
      if header("transfer-encoding") == "chunked" {
        guard let chunks = Self.chunks(of: bytes, from: end) else { return nil }
        body = String(decoding: chunks.content, as: UTF8.self)
        end = chunks.end
      } else if let length = header("content-length").flatMap({ Int($0) }) {
        guard bytes.count - end >= length else { return nil }
        body = String(decoding: bytes[end..<end + length], as: UTF8.self)
        end += length
      } else {
        guard isEnded else { return nil }
        body = String(decoding: bytes[end...], as: UTF8.self)
        end = bytes.count
      }
    }
    bytes.removeFirst(end)
  }

  func header(_ name: String) -> String? {
    headers.first { $0.name == name }?.value
  }

  /// The contents of the chunks that begin at `start`, and where they end; nil if they are not complete.
  private static func chunks(of bytes: [UInt8], from start: Int) -> (content: [UInt8], end: Int)? {
    var place = start
    var content: [UInt8] = []
    while true {
      guard let lineEnd = find([13, 10], in: bytes, from: place) else { return nil }
      guard let size = Int(String(decoding: bytes[place..<lineEnd], as: UTF8.self), radix: 16) else { return nil }
      place = lineEnd + 2
      guard bytes.count >= place + size + 2 else { return nil }
      content += bytes[place..<place + size]
      place += size + 2
      if size == 0 { return (content, place) }
    }
  }

  private static func find(_ needle: [UInt8], in bytes: [UInt8], from first: Int = 0) -> Int? {
    guard bytes.count >= first + needle.count else { return nil }
    for start in first...bytes.count - needle.count where bytes[start] == needle[0] {
      if needle.indices.allSatisfy({ bytes[start + $0] == needle[$0] }) { return start }
    }
    return nil
  }
}
