import Reactor
import Testing

@testable import HTTPServer

@Suite struct DrainTests {
  static let get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test func `idle connections are closed at once`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    #expect(try peer.exchange(Self.get).status == 200)
    var isDone = false
    server.server.drain { isDone = true }
    #expect(isDone)
    #expect(peer.waitForClose())
    #expect(!peer.wasReset)
  }

  @Test func `a request under way gets its answer, with the word that it was the last`() throws {
    var waiting: Responder?
    let server = try TestServer { _, responder in waiting = responder }
    let peer = try server.connect()
    peer.send(Self.get)
    server.turn()
    var isDone = false
    server.server.drain { isDone = true }
    server.turn()
    #expect(!isDone)
    waiting?.send(status: .ok, contentType: "text/plain", body: "done")
    let answer = try peer.takeAnswer()
    #expect(answer.body == "done")
    #expect(answer.header("connection") == "close")
    #expect(peer.waitForClose())
    peer.close()
    server.turn()
    #expect(isDone)
  }

  @Test func `a request that has arrived unseen is answered`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    peer.send(Self.get)
    server.server.drain()
    #expect(try peer.takeAnswer().status == 200)
  }

  @Test func `a body under way may arrive`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
    server.turn()
    server.server.drain()
    #expect(try peer.exchange("llo").body == "POST / hello")
    #expect(peer.waitForClose())
  }

  @Test func `whoever waits in the kernel is accepted, then nobody`() throws {
    let server = try TestServer()
    let waiting = try Socket.connect(to: server.address)
    server.server.drain()
    #expect(server.server.counters.accepted == 1)
    #expect(throws: (any Error).self) {
      let late = try Socket.connect(to: server.address)
      let error = late.connectError
      if error != 0 { throw SystemError(code: error, operation: "connect") }
    }
    _ = consume waiting
  }

  @Test func `what is left at the deadline is cut off`() throws {
    let server = try TestServer { _, _ in }
    let peer = try server.connect()
    peer.send(Self.get)
    server.turn()
    var done = 0
    server.server.drain(deadline: .seconds(10)) { done += 1 }
    server.advance(seconds: 9)
    #expect(done == 0)
    server.advance(seconds: 2)
    #expect(done == 1)
    #expect(peer.waitForClose())
    server.server.drain { done += 1 }
    #expect(done == 1)
  }

  @Test func `a handler may stop the server in the middle of its request`() throws {
    var stop: () -> Void = {}
    let server = try TestServer { _, responder in
      stop()
      responder.send(status: .ok)
    }
    stop = { server.server.close() }
    let peer = try server.connect()
    peer.send(Self.get + Self.get)
    #expect(peer.waitForClose())
    #expect(server.server.connectionCount == 0)
    stop = {}
  }
}
