import Glibc
import Reactor
import TestSupport
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
    #expect(peer.waitForClose())
    #expect(!peer.wasReset)
    // It listens a moment longer, for those who are shaking hands.
    #expect(!isDone)
    server.advance(seconds: 1)
    #expect(isDone)
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
    server.advance(seconds: 1)
    #expect(isDone)
  }

  @Test func `a request that has arrived unseen is answered`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    peer.send(Self.get)
    server.server.drain()
    #expect(try peer.takeAnswer().status == 200)
    #expect(peer.waitForClose())
  }

  @Test func `a request sent ahead whose turn has not come is answered`() throws {
    var waiting: [Responder] = []
    let server = try TestServer { _, responder in waiting.append(responder) }
    let peer = try server.connect()
    peer.send(Self.get + Self.get)
    server.turn()
    // Answered by a timer, the first is sent in this iteration, and the second begins in the next.
    server.loop.schedule(after: .zero) { waiting[0].send(status: .ok) }
    server.turn(1)
    server.server.drain()
    server.turn()
    try #require(waiting.count == 2)
    waiting[1].send(status: .ok)
    #expect(try peer.takeAnswer().header("connection") == nil)
    #expect(try peer.takeAnswer().header("connection") == "close")
    #expect(peer.waitForClose())
  }

  @Test func `whoever has only just come may still ask, until listening ends`() throws {
    let server = try TestServer()
    let asking = try server.connect()
    let silent = try server.connect()
    server.server.drain()
    #expect(try asking.exchange(Self.get).header("connection") == "close")
    server.turn()
    silent.receive()
    #expect(!silent.isClosed)
    server.advance(seconds: 1)
    #expect(silent.waitForClose())
    #expect(!silent.wasReset)
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

  @Test func `whoever waits in the kernel is accepted and answered, then nobody`() throws {
    let server = try TestServer(port: LastingPort.find())
    var waiting: [Peer] = []
    // Not accepted yet: the server has not turned since.
    for number in 0..<50 {
      let peer = try Peer(server: server, address: server.address, isQuiet: true)
      if number % 2 == 0 { peer.send(Self.get) }
      waiting.append(peer)
    }
    #expect(server.server.counters.accepted == 0)
    server.server.drain()
    for (number, peer) in waiting.enumerated() {
      if number % 2 == 1 { peer.send(Self.get) }
      #expect(try peer.takeAnswer().status == 200)
      #expect(peer.waitForClose())
      #expect(!peer.wasReset)
    }
    server.advance(seconds: 1)
    let late = try Socket.connect(to: server.address)
    let error = late.connectError
    #expect(error == ECONNREFUSED)
  }

  @Test func `whoever knocks at the end is not refused, and finds the successor`() throws {
    let server = try TestServer(port: LastingPort.find())
    server.server.drain()
    let early = try Socket.connect(to: server.address)
    server.advance(seconds: 1)
    // Neither accepted nor reset: its first packet was ignored, and the kernel sends it again after a second.
    var isConnected = early.connectError != 0 || early.remoteAddress != nil
    #expect(!isConnected)
    let successor = try Socket.listen(on: server.address)
    let clock = SystemClock()
    let start = clock.now
    var accepted: Socket?
    let loop = try EventLoop()
    while accepted == nil, clock.now - start < .patience {
      loop.turn(atMost: .milliseconds(10))
      accepted = try successor.accept()
    }
    isConnected = early.connectError == 0 && early.remoteAddress != nil
    #expect(isConnected)
    let isAccepted = accepted != nil
    #expect(isAccepted)
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
