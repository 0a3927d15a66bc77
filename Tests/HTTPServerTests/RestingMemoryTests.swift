import Reactor
import Testing

@testable import HTTPServer

/// Twenty thousand phones keep a connection open and say nothing: that must cost little.
@Suite struct RestingMemoryTests {
  private func heldBytes(_ server: TestServer) throws -> Int {
    try #require(server.server.firstConnection).request.store.input.allocatedBytes
  }

  @Test func `a connection that rests gives its buffer back, and reads on when it is spoken to`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    #expect(try peer.exchange("GET /one HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
    #expect(try heldBytes(server) >= HTTPLimits.readBytes)
    server.advance(seconds: 2)
    #expect(try heldBytes(server) == HTTPLimits.restingBufferBytes)
    #expect(try peer.exchange("GET /two HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
  }

  @Test func `a connection that has not said anything yet holds no buffer`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    server.turn()
    #expect(try heldBytes(server) == HTTPLimits.restingBufferBytes)
    peer.close()
  }

  @Test func `half a request is not given back`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    peer.send("GET /half HTTP/1.1\r\nHo")
    server.turn()
    server.advance(seconds: 2)
    let answer = try peer.exchange("st: a\r\n\r\n")
    #expect(answer.status == 200 && answer.body.contains("/half"))
  }
}
