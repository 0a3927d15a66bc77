import Reactor
import Testing

@testable import HTTPClient

@Suite struct ResponseParserTests {
  /// What became of the bytes, as text; `rest` is what was left.
  private func read(_ bytes: [UInt8], cuts: [Int], isHead: Bool = false, ends: Bool = false) -> String {
    var parser = ResponseParser(bodyLimit: 1_000)
    parser.reset(isHead: isHead)
    var input = ByteBuffer()
    var fed = 0
    for cut in cuts where cut >= fed {
      input.append(Array(bytes[fed..<cut]))
      fed = cut
      switch parser.parse(&input, isEnd: ends && cut == bytes.count) {
      case .needMore: continue
      case .malformed(let reason): return "malformed: \(reason)"
      case .complete(let response, let keepsAlive):
        let fields = response.headers.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
        let rest = input.count + bytes.count - fed
        return
          "\(response.status) [\(fields)] \(response.text) \(keepsAlive ? "keep" : "close")\(rest > 0 ? " +\(rest)" : "")"
      }
    }
    return "incomplete"
  }

  static let whole: [(String, String)] = [
    ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "200 [Content-Length=5] hello keep"),
    ("HTTP/1.1 200 \r\nContent-Length:0\r\n\r\n", "200 [Content-Length=0]  keep"),
    ("HTTP/1.1 204\r\n\r\n", "204 []  keep"),
    ("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "304 [Content-Length=9]  keep"),
    (
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: x, Close\r\n\r\nhi",
      "200 [Content-Length=2|Connection=x, Close] hi close"
    ),
    ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", "200 [Content-Length=2] hi close"),
    (
      "HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi",
      "200 [Content-Length=2|Connection=keep-alive] hi keep"
    ),
    (
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx",
      "201 [Content-Length=1] x keep"
    ),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n6;x=\"y\"\r\n world\r\n0\r\n\r\n",
      "200 [Transfer-Encoding=Chunked] hello world keep"
    ),
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\nC: d\r\n\r\n",
      "200 [Transfer-Encoding=chunked]  keep"
    ),
  ]

  @Test func `answers are read at once, cut anywhere and byte by byte`() {
    for (text, expected) in Self.whole {
      let bytes = Array(text.utf8)
      for cut in 0...bytes.count {
        #expect(read(bytes, cuts: [cut, bytes.count]) == expected, "\(text) cut at \(cut)")
      }
      #expect(read(bytes, cuts: Array(1...bytes.count)) == expected, "\(text) byte by byte")
      for end in 0..<bytes.count {
        #expect(read(Array(bytes[..<end]), cuts: [end]) == "incomplete", "\(text) ends at \(end)")
      }
    }
  }

  @Test func `an answer without length lasts until the server closes`() {
    let bytes = Array("HTTP/1.1 200 OK\r\nA: b\r\n\r\nhello".utf8)
    #expect(read(bytes, cuts: [bytes.count]) == "incomplete")
    #expect(read(bytes, cuts: [bytes.count], ends: true) == "200 [A=b] hello close")
    #expect(read(bytes, cuts: Array(1...bytes.count), ends: true) == "200 [A=b] hello close")
  }

  @Test func `an answer to HEAD has no body`() {
    let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP".utf8)
    #expect(read(bytes, cuts: [bytes.count], isHead: true) == "200 [Content-Length=5]  keep +4")
  }

  @Test(arguments: [
    "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 abc OK\r\n\r\n",
    "ICY 200 OK\r\n\r\n",
    "HTTP/1.1  200 OK\r\n\r\n", "\r\n\r\n", "HTTP/1.1 099 X\r\n\r\n", "HTTP/1.1 600 X\r\n\r\n",
    "HTTP/1.1 200 O\u{0}K\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA\r\n\r\n", "HTTP/1.1 200 OK\r\n: b\r\n\r\n", "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n", "HTTP/1.1 200 OK\r\nA: \u{0}\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n",
    "HTTP/1.1 200 OK\r\nA: b\rC: d\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
  ])
  func `an answer that could be read in two ways is refused`(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(read(bytes, cuts: [bytes.count]).hasPrefix("malformed"))
    #expect(read(bytes, cuts: Array(1...bytes.count)).hasPrefix("malformed"))
  }

  @Test(arguments: [
    "\r\n", "x\r\n", "-1\r\n", "+1\r\n", "0x1\r\n", " 1\r\n", "1 \r\n", "1 x\r\n", "1\nx\r\n", "1;\u{0}\r\n",
    "10000000000000000\r\n", "3e9\r\n",
    "1\r\nxx\r\n", "1\r\nx\n\n", "0\r\nbad\r\n\r\n", "0\r\n folded\r\n\r\n", "0\r\n\n", "１\r\n",
  ])
  func `a chunk that is no chunk is refused`(_ chunk: String) {
    let bytes = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)".utf8)
    #expect(read(bytes, cuts: [bytes.count]).hasPrefix("malformed"))
    #expect(read(bytes, cuts: Array(1...bytes.count)).hasPrefix("malformed"))
  }

  @Test func `limits are met exactly, and one more is refused`() {
    func length(_ count: Int) -> String {
      let bytes =
        Array("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8) + [UInt8](repeating: 120, count: count)
      return String(read(bytes, cuts: [bytes.count]).prefix(9))
    }
    func head(_ count: Int) -> String {
      let start = "HTTP/1.1 204 No\r\nA: "
      let bytes = Array((start + String(repeating: "x", count: count - start.utf8.count) + "\r\n\r\n").utf8)
      return String(read(bytes, cuts: [bytes.count]).prefix(9))
    }
    func untilClose(_ count: Int) -> String {
      let bytes = Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 120, count: count)
      return String(read(bytes, cuts: [bytes.count], ends: true).prefix(9))
    }
    #expect(length(1_000).hasPrefix("200"))
    #expect(length(1_001) == "malformed")
    #expect(head(65_536).hasPrefix("204"))
    #expect(head(65_537) == "malformed")
    #expect(untilClose(1_000).hasPrefix("200"))
    #expect(untilClose(1_001) == "malformed")
  }

  @Test(arguments: [
    "Content-Length: 11\r\n\r\n", "\r\nhello, world", "Transfer-Encoding: chunked\r\n\r\nb\r\nhello, worl\r\n0\r\n\r\n",
  ]) func `a body that is too long ends a response whose body does not matter`(_ rest: String) {
    var parser = ResponseParser(bodyLimit: 10, cutsBody: true)
    var input = ByteBuffer()
    input.append("HTTP/1.1 200 OK\r\n\(rest)")
    guard case .complete(let response, let keepsAlive) = parser.parse(&input, isEnd: false) else {
      return #expect(Bool(false), "no answer")
    }
    #expect(response.status == 200 && response.body.count <= 10 && !keepsAlive)
  }

  @Test func `combining marks without end in a field are replaced before anybody compares it`() {
    var parser = ResponseParser(bodyLimit: 10)
    var input = ByteBuffer()
    input.append("HTTP/1.1 204 No\r\nDate: a\(String(repeating: "\u{301}", count: 100))\r\n\r\n")
    guard case .complete(let response, _) = parser.parse(&input, isEnd: false) else {
      return #expect(Bool(false), "no answer")
    }
    let date = response.header("date") ?? ""
    #expect(date.unicodeScalars.filter { $0 == "\u{FFFD}" }.count == 70)
  }
}
