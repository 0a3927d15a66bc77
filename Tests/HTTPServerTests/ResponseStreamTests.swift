import Reactor
import Testing

@testable import HTTPServer

@Suite struct ResponseStreamTests {
  static let get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"

  private final class Source {
    var stream: ResponseStream?
  }

  private func streaming(_ source: Source) throws -> TestServer {
    try TestServer { request, responder in
      guard request.pathEquals("/x") else { return TestServer.echo(request, responder) }
      source.stream = responder.stream(status: .ok, headers: [("Content-Type", "text/plain")])
    }
  }

  @Test func `an answer is written in pieces, then the connection goes on`() throws {
    let source = Source()
    let server = try streaming(source)
    let peer = try server.connect()
    peer.send(Self.get + "GET /next HTTP/1.1\r\nHost: a\r\n\r\n")
    server.turn()
    let stream = try #require(source.stream)
    #expect(stream.isOpen)
    stream.write("hello")
    server.turn()
    peer.receive()
    #expect(peer.text.hasSuffix("\r\n\r\n5\r\nhello\r\n"))
    stream.write("")
    stream.write(Array(" world, and more".utf8))
    stream.finish()
    #expect(!stream.isOpen)
    #expect(!stream.write("late"))
    let answer = try peer.takeAnswer()
    #expect(answer.header("transfer-encoding") == "chunked")
    #expect(answer.header("content-length") == nil)
    #expect(answer.body == "hello world, and more")
    #expect(try peer.takeAnswer().body == "GET /next ")
  }

  @Test func `a client of events that shuts its side has gone, one of a file still gets the file`() throws {
    for (isOfEvents, headers) in [(true, ServerSentEvent.headers), (false, [("Content-Type", "text/csv")])] {
      let source = Source()
      var wasAbandoned = false
      let server = try TestServer { _, responder in
        source.stream = responder.stream(status: .ok, headers: headers)
        source.stream?.whenAbandoned { wasAbandoned = true }
      }
      let peer = try server.connect()
      peer.send(Self.get)
      server.turn()
      #expect(source.stream?.write("hello") == true)
      peer.finish()
      server.turn()
      #expect(wasAbandoned == isOfEvents)
      #expect(source.stream?.isOpen == !isOfEvents)
      // It may even have shut it before the first event.
      wasAbandoned = false
      let hasty = try server.connect()
      hasty.send(Self.get)
      hasty.finish()
      server.turn()
      #expect(source.stream?.isOpen ?? false == !isOfEvents)
      source.stream?.finish()
    }
  }

  @Test func `HTTP 1 dot 0 reads until the end of the connection`() throws {
    let source = Source()
    let server = try streaming(source)
    let peer = try server.connect()
    peer.send("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    server.turn()
    source.stream?.write("hello")
    source.stream?.finish()
    let answer = try peer.takeAnswer()
    #expect(answer.header("transfer-encoding") == nil)
    #expect(answer.header("connection") == "close")
    #expect(answer.body == "hello")
  }

  @Test func `HEAD gets the head only`() throws {
    let source = Source()
    let server = try streaming(source)
    let peer = try server.connect()
    peer.send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n")
    server.turn()
    source.stream?.write("hello")
    source.stream?.finish()
    #expect(try peer.takeAnswer(toHead: true).header("transfer-encoding") == "chunked")
    #expect(try peer.exchange("GET /next HTTP/1.1\r\nHost: a\r\n\r\n").body == "GET /next ")
  }

  @Test func `a source that waits is told when its client has taken everything`() throws {
    let source = Source()
    let server = try streaming(source)
    let peer = try server.connect()
    peer.send(Self.get)
    server.turn()
    let stream = try #require(source.stream)
    let piece = [UInt8](repeating: 120, count: 200_000)
    var left = 50
    func produce() {
      guard left > 0 else { return stream.finish() }
      left -= 1
      stream.write(piece)
      #expect(stream.unsentBytes <= 300_000)
      stream.whenDrained(produce)
    }
    produce()
    #expect(try peer.takeAnswer().body.utf8.count == 10_000_000)
  }

  @Test func `a client too slow for its stream is cut off`() throws {
    let source = Source()
    let server = try streaming(source)
    let peer = try server.connect(receiveBufferBytes: 4_096)
    peer.send(Self.get)
    server.turn()
    var isAbandoned = false
    source.stream?.whenAbandoned { isAbandoned = true }
    let piece = [UInt8](repeating: 120, count: 500_000)
    var written = 0
    while source.stream?.write(piece) == true, written < 100 {
      written += 1
      server.turn(1)
    }
    #expect(written < 40)
    #expect(isAbandoned)
    #expect(server.server.connectionCount == 0)
  }

  @Test func `the source learns that its client has gone`() throws {
    let source = Source()
    let server = try streaming(source)
    let peer = try server.connect()
    peer.send(Self.get)
    server.turn()
    var abandoned = 0
    source.stream?.whenAbandoned { abandoned += 1 }
    peer.reset()
    server.turn()
    #expect(abandoned == 1)
    #expect(source.stream?.isOpen == false)
    #expect(source.stream?.write("x") == false)
  }

  @Test func `a stream is not timed out while it is silent`() throws {
    let source = Source()
    let server = try streaming(source)
    let peer = try server.connect()
    peer.send(Self.get)
    server.turn()
    server.advance(seconds: 200)
    #expect(source.stream?.isOpen == true)
    source.stream?.write("still here")
    source.stream?.finish()
    #expect(try peer.takeAnswer().body == "still here")
  }

  @Test func `another thread streams through its ticket`() throws {
    var ticket: ResponseTicket?
    let server = try TestServer { _, responder in ticket = responder.ticket }
    let peer = try server.connect()
    peer.send(Self.get)
    server.turn()
    let known = try #require(ticket)
    let thread = try Thread(name: "streams") {
      guard let stream = known.stream(status: .ok, headers: ServerSentEvent.headers) else { return }
      stream.write(ServerSentEvent(event: "funnel", id: "1", data: "{}").text)
      stream.write(ServerSentEvent.keepAlive)
      stream.finish()
    }
    thread.join()
    let answer = try peer.takeAnswer()
    #expect(answer.header("content-type") == "text/event-stream")
    #expect(answer.body == "event: funnel\nid: 1\ndata: {}\n\n:\n\n")
  }

  @Test func `another thread learns that the client has gone`() throws {
    var ticket: ResponseTicket?
    let server = try TestServer { _, responder in ticket = responder.ticket }
    let peer = try server.connect()
    peer.send(Self.get)
    server.turn()
    let known = try #require(ticket)
    let stream = try #require(known.stream(status: .ok, headers: []))
    server.turn()
    #expect(stream.isOpen)
    #expect(stream.write("x"))
    peer.reset()
    server.turn()
    #expect(!stream.isOpen)
    #expect(!stream.write("y"))
    // Begun too late, it is over at once.
    let late = try #require(known.stream(status: .ok, headers: []))
    server.turn()
    #expect(!late.isOpen)
  }

  @Test func `another thread learns when its client has taken everything, and may break off`() throws {
    var ticket: ResponseTicket?
    let server = try TestServer { _, responder in ticket = responder.ticket }
    let peer = try server.connect(receiveBufferBytes: 4_096)
    peer.send(Self.get)
    server.turn()
    let drained = try Inbox<Void>(capacity: 8)
    let known = try #require(ticket)
    let begun = known.stream(status: .ok, headers: [], drained: { _ = drained.offer(()) })
    let stream = try #require(begun)
    #expect(stream.isDrained)
    #expect(stream.write([UInt8](repeating: 120, count: 3_000_000)))
    #expect(!stream.isDrained)
    #expect(peer.wait { stream.isDrained })
    #expect(drained.count == 1)
    stream.abandon()
    #expect(!stream.isOpen)
    #expect(peer.waitForClose() && !peer.text.hasSuffix("0\r\n\r\n"))
  }

  @Test func `a drain waits for streams, up to its deadline`() throws {
    let source = Source()
    let server = try streaming(source)
    let peer = try server.connect()
    peer.send(Self.get)
    server.turn()
    var isDone = false
    server.server.drain { isDone = true }
    server.advance(seconds: 5)
    #expect(source.stream?.isOpen == true)
    server.advance(seconds: 6)
    #expect(isDone)
  }

  @Test func `events keep to their lines`() {
    #expect(ServerSentEvent(data: "a\nb\r\nc").text == "data: a\ndata: b\ndata: c\n\n")
    #expect(ServerSentEvent(data: "a\rb\u{2028}c\u{85}d").text == "data: a\ndata: b\u{2028}c\u{85}d\n\n")
    #expect(ServerSentEvent(event: "x\ny", id: "1\r2", data: "").text == "event: xy\nid: 12\ndata: \n\n")
  }
}
