import Reactor
import Testing

@testable import HTTPServer

@Suite struct RequestTests {
  private func request(_ text: String) throws -> Request {
    let request = Request(limits: HeadLimits())
    request.store.input.append(text)
    guard case .complete(let facts) = request.store.advance(unaskedBytes: 1 << 20) else {
      throw SystemError(code: 0, operation: "parse")
    }
    request.begin(0, facts.method)
    return request
  }

  @Test func `headers are found by their lower-cased name, the first one wins`() throws {
    let request = try request("GET / HTTP/1.1\r\nHost: a\r\nX-One: 1\r\nx-oNE: 2\r\nX-On: 3\r\n\r\n")
    #expect(request.header("x-one") == "1")
    #expect(request.header("x-on") == "3")
    #expect(request.header("x-o") == nil)
    #expect(request.withHeader("x-one") { $0.count } == 1)
    #expect(request.headers.map(\.name) == ["host", "x-one", "x-one", "x-on"])
  }

  @Test func `the client that a proxy names is looked for once a request`() throws {
    let request = try request("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    var lookups = 0
    var named = IPAddress("192.0.2.1")
    request.isBehindProxy = true
    request.findClient = {
      lookups += 1
      return named
    }
    #expect(request.clientAddress == IPAddress("192.0.2.1") && request.countedAddress == IPAddress("192.0.2.1"))
    #expect(lookups == 1)
    // The same proxy sends the next request for somebody else, and the one after for nobody it names.
    for (number, next) in [IPAddress("192.0.2.2"), nil].enumerated() {
      named = next
      request.begin(UInt64(number) + 1, .get)
      #expect(request.clientAddress == next && request.owned().clientAddress == next)
      #expect(lookups == number + 2)
    }
  }

  @Test func `path and query are told apart`() throws {
    let request = try request("GET /a/b?c=d?e HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(request.path == "/a/b")
    #expect(request.query == "c=d?e")
    #expect(request.pathEquals("/a/b"))
    #expect(!request.pathEquals("/a"))
    #expect(!request.pathEquals("/a/b/"))
    #expect(request.withPath { $0.count } == 4)
    #expect(try self.request("GET http://a HTTP/1.1\r\nHost: a\r\n\r\n").pathEquals("/"))
  }

  @Test func `query items are form-decoded`() throws {
    let request = try request("GET /?a=1&bb=x+y%26%EC%9D%B4&a=2&empty&c=%ff&aa=3 HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(request.queryItem("a") == "1")
    #expect(request.queryItem("bb") == "x y&이")
    #expect(request.queryItem("empty") == "")
    #expect(request.queryItem("c") == nil)
    #expect(request.queryItem("aa") == "3")
    #expect(request.queryItem("b") == nil)
  }

  @Test func `forms come apart into pairs`() {
    func pairs(_ text: String, limit: Int = 10) -> [String]? {
      FormDecoding.pairs(in: Array(text.utf8).span, limit: limit)?.map { "\($0.name)=\($0.value)" }
    }
    #expect(pairs("a=1&b=x%3Dy&&c&=d&e=") == ["a=1", "b=x=y", "c=", "=d", "e="])
    #expect(pairs("") == [])
    #expect(pairs("a=%f") == nil)
    #expect(pairs("a=%ff") == nil)
    #expect(pairs("a&b&c", limit: 2) == nil)
    #expect(pairs("a&b", limit: 2) == ["a=", "b="])
  }

  @Test func `too many combining marks in a row name nothing in a query, and are cut in a header`() throws {
    let marks = String(repeating: "\u{301}", count: 40)
    let escaped = String(repeating: "%CC%81", count: 40)
    let request = try request("GET /?a=x\(escaped)&b=y HTTP/1.1\r\nHost: a\r\nX: z\(marks)\r\n\r\n")
    #expect(request.queryItem("a") == nil && request.queryItem("b") == "y")
    let value = try #require(request.header("x"))
    #expect(value.unicodeScalars.count { $0 == "\u{301}" } == 30 && value.unicodeScalars.count == 41)
    #expect(request.headers.last?.value == value && request.owned().header("x") == value)
  }

  @Test func `an owned copy outlives the request`() throws {
    let request = try request("POST /a?b=c HTTP/1.1\r\nHost: a\r\nX-Y: Z\r\nContent-Length: 2\r\n\r\nhi")
    let copy = request.owned()
    _ = request.store.finish()
    #expect(copy.method == .post)
    #expect(copy.path == "/a")
    #expect(copy.query == "b=c")
    #expect(copy.header("x-y") == "Z")
    #expect(copy.body == Array("hi".utf8))
  }

  @Test func `the address of the client is known`() throws {
    var address: SocketAddress?
    let server = try TestServer { request, responder in
      address = request.remoteAddress
      responder.send(status: .ok)
    }
    _ = try server.connect().exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(address?.host == "127.0.0.1")
    #expect(address?.isLoopback == true)
  }

  @Test func `request ids are 16 hexadecimal digits, written alike by both writers`() {
    var ids = RequestID()
    for number in [0, 1, 0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, .max] + (0..<1_000).map({ _ in ids.next() }) {
      var buffer = ByteBuffer()
      RequestID.append(number, to: &buffer)
      let written = buffer.withReadable { String(copying: $0) }
      #expect(written == RequestID.text(number))
      #expect(written.utf8.count == 16)
      #expect(UInt64(written, radix: 16) == number)
    }
  }

  @Test func `from one request id nobody computes the next`() {
    // Numbers that were a counter behind a bijection gave themselves away: undone, each was one step after the other.
    func unstirred(_ number: UInt64) -> UInt64 {
      var number = number ^ number >> 31 ^ number >> 62
      number = number &* 0x3196_42B2_D24D_8EC3
      number = number ^ number >> 27 ^ number >> 54
      number = number &* 0x96DE_1B17_3F11_9089
      return number ^ number >> 30 ^ number >> 60
    }
    var ids = RequestID()
    let steps = (0..<100).map { _ in unstirred(ids.next()) }
    #expect(Set(zip(steps, steps.dropFirst()).map { $1 &- $0 }).count == 99)
  }

  @Test func `dates are written as RFC 9110 asks`() {
    #expect(HTTPDate.text(seconds: 0) == "Thu, 01 Jan 1970 00:00:00 GMT")
    #expect(HTTPDate.text(seconds: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(HTTPDate.text(seconds: 951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
    #expect(HTTPDate.text(seconds: 4_107_542_399) == "Sun, 28 Feb 2100 23:59:59 GMT")
    #expect(HTTPDate.text(seconds: 4_107_542_400) == "Mon, 01 Mar 2100 00:00:00 GMT")
  }
}
