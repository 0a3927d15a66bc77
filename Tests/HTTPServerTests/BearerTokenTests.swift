import Testing

@testable import HTTPServer

@Suite struct BearerTokenTests {
  @Test(arguments: ["Bearer abc", "bearer abc", "BEARER   abc", "Bearer abc="]) func `a token is read`(_ value: String)
  {
    #expect(BearerToken.read(value)?.hasPrefix("abc") == true)
  }

  @Test(arguments: ["", "Bearer", "Bearer ", "Bearer   ", "Basic abc", "Bearerabc", "Bearer a b", "Bearer a\tb", "abc"])
  func `anything else is none`(_ value: String) {
    #expect(BearerToken.read(value) == nil)
  }

  @Test func `two headers prove nothing`() throws {
    var tokens: [String?] = []
    let server = try TestServer { request, responder in
      tokens += [request.bearerToken, request.owned().bearerToken]
      responder.send(status: .ok)
    }
    let peer = try server.connect()
    for lines in ["Authorization: Bearer a\r\n", "Authorization: Bearer a\r\nauthorization: Bearer b\r\n", ""] {
      #expect(try peer.exchange("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n").status == 200)
    }
    #expect(tokens == ["a", "a", nil, nil, nil, nil])
  }
}
