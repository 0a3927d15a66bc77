import Reactor
import Testing

@testable import HTTPServer

/// Every limit is met exactly, and one more is refused.
@Suite struct LimitsTests {
  private func status(_ text: String, _ feeding: Feeding = .atOnce, bodyLimit: Int = 1 << 20) -> String {
    let bytes = Array(text.utf8)
    let reading = Reading.of(bytes, cuts: feeding.cuts(bytes.count)[0], bodyLimit: bodyLimit).description
    return reading.hasPrefix("GET ") || reading.hasPrefix("POST ") ? "ok" : String(reading.prefix(3))
  }

  private func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  @Test(arguments: [Feeding.atOnce, .byteByByte]) func `a request line of 8,000 bytes is taken, one more is 414`(
    _ feeding: Feeding
  ) {
    let frame = "GET / HTTP/1.1".utf8.count
    #expect(status("GET /\(text(8_000 - frame)) HTTP/1.1\r\nHost: a\r\n\r\n", feeding) == "ok")
    #expect(status("GET /\(text(8_001 - frame)) HTTP/1.1\r\nHost: a\r\n\r\n", feeding) == "414")
  }

  @Test func `a request line that never ends is refused before it has ended`() {
    #expect(status("GET /\(text(7_995))") == "inc")
    #expect(status("GET /\(text(7_997))") == "414")
  }

  @Test(arguments: [Feeding.atOnce, .byteByByte]) func `a header of 8 KiB is taken, one more byte is 431`(
    _ feeding: Feeding
  ) {
    #expect(status("GET / HTTP/1.1\r\nHost: a\r\nX: \(text(8_192 - 3))\r\n\r\n", feeding) == "ok")
    #expect(status("GET / HTTP/1.1\r\nHost: a\r\nX: \(text(8_193 - 3))\r\n\r\n", feeding) == "431")
  }

  @Test func `a header that never ends is refused before it has ended`() {
    #expect(status("GET / HTTP/1.1\r\nHost: a\r\nX: \(text(8_194 - 3))") == "431")
  }

  @Test func `a hundred headers are taken, one more is 431`() {
    func request(_ count: Int) -> String {
      "GET / HTTP/1.1\r\nHost: a\r\n" + (1..<count).map { "X-\($0): y\r\n" }.joined() + "\r\n"
    }
    #expect(status(request(100)) == "ok")
    #expect(status(request(101)) == "431")
  }

  @Test func `headers of 64 KiB together are taken, one more byte is 431`() {
    func request(_ bytes: Int) -> String {
      let host = "Host: a"
      let each = (1...7).map { "X\($0): \(text(8_192 - 4))\r\n" }.joined()
      let rest = bytes - host.utf8.count - 7 * 8_192
      return "GET / HTTP/1.1\r\n\(host)\r\n\(each)X8: \(text(rest - 4))\r\n\r\n"
    }
    #expect(status(request(65_536)) == "ok")
    #expect(status(request(65_537)) == "431")
  }

  @Test func `a body at its limit is taken, one more byte is 413`() {
    func plain(_ count: Int) -> String {
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n\(text(count))"
    }
    #expect(status(plain(100), bodyLimit: 100) == "ok")
    #expect(status(plain(101), bodyLimit: 100) == "413")
    func chunked(_ count: Int) -> String {
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "32\r\n\(text(50))\r\n\(String(count - 50, radix: 16))\r\n\(text(count - 50))\r\n0\r\n\r\n"
    }
    #expect(status(chunked(100), bodyLimit: 100) == "ok")
    #expect(status(chunked(101), bodyLimit: 100) == "413")
  }

  @Test func `chunk extensions have a limit together`() {
    func request(_ extensions: [Int]) -> String {
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        + extensions.map { "1;\(text($0 - 1))\r\ny\r\n" }.joined() + "0\r\n\r\n"
    }
    #expect(status(request([2_048, 2_048])) == "ok")
    #expect(status(request([2_048, 2_049])) == "400")
    #expect(status("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;\(text(4_200))") == "400")
  }

  @Test func `trailers have a limit together`() {
    func request(_ last: Int) -> String {
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: \(text(4_096 - 3))\r\n"
        + "B: \(text(last - 3))\r\n\r\n"
    }
    #expect(status(request(4_096)) == "ok")
    #expect(status(request(4_097)) == "431")
  }

  @Test func `two empty lines before a request are ignored, three are not`() {
    #expect(status("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n") == "ok")
    #expect(status("\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n") == "400")
  }

  @Test func `the handler may allow a shorter body than usual, and the refusal names what it allows`() throws {
    let server = try TestServer(bodyLimit: 20_000)
    for head in ["Content-Length: 20001\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n4E21\r\n"] {
      // Before a byte of it has come.
      let refused = try server.connect().exchange("POST / HTTP/1.1\r\nHost: a\r\n\(head)")
      #expect(refused.status == 413 && refused.body.contains("takes 20000 bytes at most"), "\(refused)")
    }
    for count in [0, 1, HTTPLimits.unaskedBodyBytes, HTTPLimits.unaskedBodyBytes + 1, 20_000] {
      let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n"
      #expect(try server.connect().exchange(head + text(count)).status == 200, "\(count)")
    }
  }

  @Test func `nobody is asked about a short body`() throws {
    let server = try TestServer(bodyLimit: 0)
    let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: "
    let most = HTTPLimits.unaskedBodyBytes
    #expect(try server.connect().exchange("\(head)\(most)\r\n\r\n\(text(most))").status == 200)
    #expect(try server.connect().exchange("\(head)\(most + 1)\r\n\r\n").status == 413)
  }

  @Test func `the handler may allow a longer body than usual`() throws {
    var configuration = HTTPServer.Configuration()
    configuration.bodyBytes = 10
    let server = try TestServer(configuration: configuration, bodyLimit: 20)
    let peer = try server.connect()
    #expect(try peer.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n\(text(20))").status == 200)
    #expect(try peer.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 21\r\n\r\n").status == 413)
  }
}
