import Reactor
import Testing

@testable import HTTPServer

/// Real sockets: what a client sees of a connection's life.
@Suite struct ConnectionTests {
  static let get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test func `a connection stays open for the next request`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    for number in 1...3 {
      let answer = try peer.exchange("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(answer.status == 200)
      #expect(answer.body == "GET /\(number) ")
      #expect(answer.header("connection") == nil)
    }
    #expect(server.server.connectionCount == 1)
  }

  @Test func `a client that asks to close gets its answer and the end`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    let answer = try peer.exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    #expect(answer.status == 200)
    #expect(answer.header("connection") == "close")
    #expect(peer.waitForClose())
    #expect(!peer.wasReset)
  }

  @Test func `HTTP 1 dot 0 closes unless asked to stay`() throws {
    let server = try TestServer()
    let staying = try server.connect()
    let first = try staying.exchange("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    #expect(first.header("connection") == "keep-alive")
    #expect(try staying.exchange("GET / HTTP/1.0\r\n\r\n").header("connection") == "close")
    #expect(staying.waitForClose())
  }

  @Test func `answers carry date, length and a request id of their own`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    let first = try peer.exchange(Self.get)
    let second = try peer.exchange(Self.get)
    #expect(first.header("date") == "Thu, 01 Jan 2026 00:00:00 GMT")
    #expect(first.header("content-length") == "7")
    #expect(first.header("x-request-id")?.count == 16)
    #expect(first.header("x-request-id") != second.header("x-request-id"))
    server.clock.advance(by: .seconds(61))
    server.turn()
    #expect(try server.connect().exchange(Self.get).header("date") == "Thu, 01 Jan 2026 00:01:01 GMT")
  }

  @Test func `pipelined requests are answered in order and in one send`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    peer.send((1...50).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
    server.loop.turn(atMost: .zero)
    peer.receive()
    for number in 1...50 { #expect(try peer.takeAnswer().body == "GET /\(number) ") }
  }

  @Test func `of pipelined requests one at a time is with the handler`() throws {
    var waiting: [Responder] = []
    let server = try TestServer { _, responder in waiting.append(responder) }
    let peer = try server.connect()
    peer.send(Self.get + Self.get + Self.get)
    server.turn()
    for number in 1...3 {
      #expect(waiting.count == 1)
      waiting.removeFirst().send(status: .ok, contentType: "text/plain", body: Array("\(number)".utf8))
      #expect(try peer.takeAnswer().body == "\(number)")
    }
    #expect(waiting.isEmpty)
  }

  @Test func `a request that was sent ahead is not handled inside the answer of the one before`() throws {
    var waiting: [Responder] = []
    let server = try TestServer { _, responder in waiting.append(responder) }
    let peer = try server.connect()
    peer.send(Self.get + Self.get)
    server.turn()
    waiting[0].send(status: .ok)
    #expect(waiting.count == 1)
    server.turn()
    #expect(waiting.count == 2)
  }

  @Test func `a second answer is ignored, and so is one for an earlier request`() throws {
    var kept: [Responder] = []
    let server = try TestServer { request, responder in
      kept.append(responder)
      responder.send(status: .ok, contentType: "text/plain", body: "first")
      responder.send(status: .ok, contentType: "text/plain", body: "second")
    }
    let peer = try server.connect()
    #expect(try peer.exchange(Self.get).body == "first")
    kept[0].send(status: .ok, contentType: "text/plain", body: "late")
    #expect(!kept[0].isOpen)
    #expect(try peer.exchange(Self.get).body == "first")
    server.turn()
    peer.receive()
    #expect(peer.received.isEmpty)
  }

  @Test func `an answer to a client that has gone is ignored`() throws {
    var kept: Responder?
    let server = try TestServer { _, responder in kept = responder }
    let peer = try server.connect()
    peer.send(Self.get)
    server.turn()
    let responder = try #require(kept)
    #expect(responder.isOpen)
    peer.reset()
    server.turn()
    #expect(server.server.connectionCount == 0)
    #expect(!responder.isOpen)
    responder.send(status: .ok)
    server.turn()
  }

  @Test func `a body is awaited whole, in chunks or not`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    peer.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n01234")
    server.turn()
    peer.receive()
    #expect(peer.received.isEmpty)
    #expect(try peer.exchange("56789").body == "POST /a 0123456789")
    peer.send("POST /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n012")
    server.turn()
    #expect(try peer.exchange("34\r\n5\r\n56789\r\n0\r\n\r\n").body == "POST /b 0123456789")
    #expect(try peer.exchange(Self.get).body == "GET /x ")
  }

  @Test func `a large chunked body keeps no raw bytes behind`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    let piece = String(repeating: "y", count: 10_000)
    peer.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<100 { peer.send("2710\r\n\(piece)\r\n") }
    peer.send("0\r\n\r\n" + Self.get)
    #expect(try peer.takeAnswer().body.utf8.count == 1_000_000 + "POST / ".utf8.count)
    #expect(try peer.takeAnswer().body == "GET /x ")
  }

  @Test func `100 Continue is sent before the body is awaited`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    let head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
    #expect(try peer.exchange(head).status == 100)
    #expect(try peer.exchange("hello").body == "POST / hello")
    // With the body already there, or without any, nothing is to be announced.
    #expect(try peer.exchange(head + "again").status == 200)
    #expect(try peer.exchange("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n").status == 200)
    #expect(
      try peer.exchange("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2000000\r\n\r\n").status
        == 413)
  }

  @Test func `another expectation is refused`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    #expect(
      try peer.exchange("POST / HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\nContent-Length: 5\r\n\r\n").status == 417)
    #expect(peer.waitForClose())
  }

  @Test func `HEAD has the headers of GET and no body`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    peer.send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n")
    let answer = try peer.takeAnswer(toHead: true)
    #expect(answer.header("content-length") == "8")
    #expect(try peer.exchange(Self.get).body == "GET /x ")
  }

  @Test func `204 and 304 have neither body nor length`() throws {
    var status = Status.noContent
    let server = try TestServer { _, responder in
      responder.send(Response(status: status, headers: [("ETag", "\"1\"")], body: Array("never".utf8)))
    }
    let peer = try server.connect()
    for code in [Status.noContent, .notModified] {
      status = code
      let answer = try peer.exchange(Self.get)
      #expect(answer.status == code.code)
      #expect(answer.header("content-length") == nil)
      #expect(answer.header("etag") == "\"1\"")
    }
    #expect(peer.received.isEmpty)
  }

  @Test func `headers of an answer cannot break out of their line`() throws {
    let server = try TestServer { _, responder in
      responder.send(
        Response(
          status: .ok,
          headers: [
            ("X-A", "1\r\nX-Evil: 2"), ("Content-Length", "99"), ("connection", "close"), ("Transfer-Encoding", "x"),
          ]))
    }
    let answer = try server.connect().exchange(Self.get)
    #expect(answer.header("x-a") == "1  X-Evil: 2")
    #expect(answer.header("x-evil") == nil)
    #expect(answer.header("content-length") == "0")
    #expect(answer.header("connection") == nil)
    #expect(answer.header("transfer-encoding") == nil)
  }

  @Test func `a half-closed client still gets its answers`() throws {
    var waiting: [Responder] = []
    let server = try TestServer { request, responder in
      if request.pathEquals("/later") { waiting.append(responder) } else { TestServer.echo(request, responder) }
    }
    let peer = try server.connect()
    peer.send(Self.get + "GET /later HTTP/1.1\r\nHost: a\r\n\r\n" + Self.get)
    peer.finish()
    #expect(try peer.takeAnswer().body == "GET /x ")
    waiting[0].send(status: .ok, contentType: "text/plain", body: "later")
    #expect(try peer.takeAnswer().body == "later")
    #expect(try peer.takeAnswer().body == "GET /x ")
    #expect(peer.waitForClose())
    #expect(!peer.wasReset)
  }

  @Test func `a half-closed client that is waited for does not make the loop spin`() throws {
    var waiting: Responder?
    let server = try TestServer { _, responder in waiting = responder }
    let peer = try server.connect()
    peer.send(Self.get)
    peer.finish()
    server.turn()
    let start = SystemClock().now
    server.loop.turn(atMost: .milliseconds(30))
    #expect(SystemClock().now - start >= .milliseconds(25))
    waiting?.send(status: .ok)
    #expect(try peer.takeAnswer().status == 200)
  }

  @Test(arguments: ["GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhel"])
  func `a request cut off by the end of the stream is refused`(_ text: String) throws {
    let server = try TestServer()
    let peer = try server.connect()
    peer.send(text)
    peer.finish()
    #expect(try peer.takeAnswer().status == 400)
    #expect(peer.waitForClose())
  }

  @Test func `a client that closes between requests leaves nothing behind`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    #expect(try peer.exchange(Self.get).status == 200)
    peer.finish()
    #expect(peer.waitForClose())
    #expect(server.server.connectionCount == 0)
  }

  @Test func `the client can read a refusal though it is still sending`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n")
    for _ in 0..<30 { peer.send([UInt8](repeating: 120, count: 100_000)) }
    #expect(try peer.takeAnswer().status == 413)
    #expect(peer.waitForClose())
    #expect(!peer.wasReset)
    peer.close()
    server.turn(200)
    #expect(server.server.connectionCount == 0)
  }

  @Test func `a client that sends for ever after a refusal is cut off`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    peer.send("BROKEN\r\n")
    for _ in 0..<60 { peer.send([UInt8](repeating: 120, count: 100_000)) }
    server.turn(200)
    #expect(server.server.connectionCount == 0)
  }
}
