import Reactor
import Testing

@testable import HTTPServer

@Suite struct TimeoutTests {
  static let get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test func `a connection that says nothing is closed after the time for a head`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    server.advance(seconds: 18)
    #expect(server.server.connectionCount == 1)
    server.advance(seconds: 4)
    #expect(peer.waitForClose())
    #expect(peer.received.isEmpty)
  }

  @Test func `a head that drips in is refused after 20 seconds`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    peer.send("GET / HTTP/1.1\r\n")
    for number in 0..<24 {
      server.advance(seconds: 1)
      peer.send("X-\(number): y\r\n")
    }
    let answer = try peer.takeAnswer()
    #expect(answer.status == 408)
    #expect(answer.header("connection") == "close")
    #expect(server.server.counters.timedOut == 1)
    #expect(server.server.counters.malformed == 0)
    #expect(peer.waitForClose())
  }

  @Test func `the time for a head begins with its first byte, not with the last answer`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    #expect(try peer.exchange(Self.get).status == 200)
    server.advance(seconds: 60)
    peer.send("GET / HTTP/1.1\r\n")
    server.advance(seconds: 18)
    #expect(try peer.exchange("Host: a\r\n\r\n").status == 200)
  }

  @Test func `a body that drips in is refused after 60 seconds`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
    for _ in 0..<58 {
      server.advance(seconds: 1)
      peer.send("x")
    }
    #expect(server.server.counters.timedOut == 0)
    server.advance(seconds: 5)
    #expect(try peer.takeAnswer().status == 408)
  }

  @Test func `an idle connection is closed without a word`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    #expect(try peer.exchange(Self.get).status == 200)
    server.advance(seconds: 73)
    #expect(server.server.connectionCount == 1)
    server.advance(seconds: 4)
    #expect(peer.waitForClose())
    #expect(peer.received.isEmpty)
  }

  @Test func `a handler may take as long as it needs`() throws {
    var waiting: Responder?
    let server = try TestServer { _, responder in waiting = responder }
    let peer = try server.connect()
    peer.send(Self.get)
    server.turn()
    server.advance(seconds: 300)
    waiting?.send(status: .ok)
    #expect(try peer.takeAnswer().status == 200)
  }

  @Test func `a client that does not read is cut off`() throws {
    let large = [UInt8](repeating: 120, count: 20_000_000)
    let server = try TestServer { _, responder in responder.send(Response(status: .ok, body: large)) }
    let peer = try server.connect(receiveBufferBytes: 4_096)
    peer.send(Self.get)
    server.turn()
    server.advance(seconds: 28)
    #expect(server.server.connectionCount == 1)
    server.advance(seconds: 4)
    #expect(server.server.connectionCount == 0)
  }

  @Test func `a client that reads slowly is not cut off`() throws {
    let large = [UInt8](repeating: 120, count: 20_000_000)
    let server = try TestServer { _, responder in responder.send(Response(status: .ok, body: large)) }
    let peer = try server.connect(receiveBufferBytes: 262_144)
    peer.send(Self.get)
    server.turn()
    for _ in 0..<6 {
      server.advance(seconds: 20)
      peer.receive(pieces: 8)
    }
    #expect(server.server.connectionCount == 1)
    #expect(try peer.takeAnswer().body.utf8.count == large.count)
  }

  @Test func `a client that has read slowly may then be idle as long as any other`() throws {
    let large = [UInt8](repeating: 120, count: 20_000_000)
    let server = try TestServer { _, responder in responder.send(Response(status: .ok, body: large)) }
    let peer = try server.connect(receiveBufferBytes: 262_144)
    peer.send(Self.get)
    server.turn()
    for _ in 0..<6 {
      server.advance(seconds: 20)
      peer.receive(pieces: 8)
    }
    #expect(try peer.takeAnswer().body.utf8.count == large.count)
    server.advance(seconds: 73)
    #expect(server.server.connectionCount == 1)
    server.advance(seconds: 4)
    #expect(peer.waitForClose())
  }

  @Test func `after a refusal the client has two seconds to close`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    peer.send("BROKEN\r\n")
    #expect(try peer.takeAnswer().status == 400)
    #expect(server.server.connectionCount == 1)
    server.advance(seconds: 4)
    #expect(server.server.connectionCount == 0)
  }

  @Test func `an idle server does not wake up`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    peer.close()
    server.advance(seconds: 3)
    let start = SystemClock().now
    server.loop.turn(atMost: .milliseconds(30))
    #expect(SystemClock().now - start >= .milliseconds(25))
  }
}
