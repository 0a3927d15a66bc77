import Reactor
import TestSupport
import Testing

@testable import HTTPServer

/// Long bodies that come only when their handler knows who asks.
@Suite final class HeldBodyTests {
  private let directory = TemporaryDirectory.make()

  deinit { TemporaryDirectory.remove(directory) }

  private func server() throws -> TestServer {
    var configuration = HTTPServer.Configuration()
    configuration.bodyBytes = 1_000
    configuration.spoolDirectory = directory
    return try TestServer(configuration: configuration, bodyLimit: 5_000_000) { request, responder in
      responder.send(Response(status: .ok, contentType: "text/plain", body: "\(request.bodyCount)"))
    }
  }

  private func head(_ length: Int, _ more: String = "") -> String {
    "POST /held HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\(more)\r\n"
  }

  @Test func `nobody is told to go on before there is leave, and then all is as ever`() throws {
    let server = try server()
    let peer = try server.connect()
    peer.send(head(2_000, "Expect: 100-continue\r\n"))
    #expect(peer.wait { server.handler.held.count == 1 })
    server.advance(seconds: 100)
    #expect(peer.text.isEmpty)
    server.handler.held[0].admitBody()
    // Once is enough.
    server.handler.held[0].admitBody()
    #expect(peer.wait { peer.text == "HTTP/1.1 100 Continue\r\n\r\n" })
    peer.received = []
    peer.send(String(repeating: "x", count: 2_000) + head(3) + "abc")
    #expect(try peer.takeAnswer().body == "2000")
    #expect(try peer.takeAnswer().body == "3", "a short body is nobody's business")
    #expect(server.handler.held.count == 1)
  }

  @Test(arguments: [false, true]) func `of a body without leave no more is read than of requests sent ahead`(
    isChunked: Bool
  ) throws {
    let server = try server()
    let peer = try server.connect()
    let body = String(repeating: "x", count: 1_000_000)
    peer.send(
      isChunked
        ? "POST /held HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nF4240\r\n\(body)\r\n0\r\n\r\n"
        : head(1_000_000) + body)
    server.turn(100)
    let connection = try #require(server.server.firstConnection)
    let (read, spooled) = (connection.request.store.input.count, connection.request.store.spooledBytes)
    #expect(read < HTTPLimits.pipelinedBytes + HTTPLimits.readBytes && spooled == 0)
    #expect(server.server.bodies.disk.held == 0 && server.server.bodies.memory.held == 0)
    server.handler.held[0].admitBody()
    #expect(try peer.takeAnswer().body == "1000000")
  }

  @Test func `an answer in its place ends the connection, and leave comes too late`() throws {
    let server = try server()
    let peer = try server.connect()
    peer.send(head(1_000_000) + String(repeating: "x", count: 300_000))
    #expect(peer.wait { server.handler.held.count == 1 })
    server.handler.held[0].send(Response(status: .unauthorized))
    server.handler.held[0].admitBody()
    let answer = try peer.takeAnswer()
    #expect(answer.status == 401 && answer.header("connection") == "close" && peer.waitForClose())
    #expect(server.server.bodies.disk.held == 0 && server.server.bodies.memory.held == 0)
  }

  @Test func `a client that leaves meanwhile is forgotten`() throws {
    let server = try server()
    let peer = try server.connect()
    peer.send(head(2_000) + "x")
    #expect(peer.wait { server.handler.held.count == 1 })
    peer.reset()
    server.turn(20)
    #expect(server.server.connectionCount == 0)
    server.handler.held[0].admitBody()
    server.turn(20)
    #expect(try server.connect().exchange(head(1) + "z").body == "1")
  }

  @Test func `a client that has said all it will say is refused when the rest of the body is missing`() throws {
    let server = try server()
    let peer = try server.connect()
    peer.send(head(2_000) + "x")
    peer.finish()
    #expect(peer.wait { server.handler.held.count == 1 })
    server.turn(20)
    server.handler.held[0].admitBody()
    #expect(try peer.takeAnswer().status == 400)
  }

  @Test func `a server that ends waits for whoever waits for leave`() throws {
    let server = try server()
    let peer = try server.connect()
    peer.send(head(2_000) + String(repeating: "x", count: 2_000))
    #expect(peer.wait { server.handler.held.count == 1 })
    server.server.drain(deadline: .seconds(10))
    server.turn(20)
    server.handler.held[0].admitBody()
    #expect(try peer.takeAnswer().body == "2000")
    #expect(peer.waitForClose())
  }

  @Test func `a request whose body waits counts among those of its address, once`() throws {
    var configuration = HTTPServer.Configuration()
    (configuration.bodyBytes, configuration.exemptsLoopback, configuration.requestsPerAddress) = (1_000, false, 1)
    let server = try TestServer(configuration: configuration, bodyLimit: 5_000)
    // What an address may ask at once: two.
    for number in 0..<2 {
      let peer = try server.connect()
      peer.send(head(2_000))
      #expect(peer.wait { server.handler.held.count == number + 1 })
      server.handler.held[number].admitBody()
      peer.send(String(repeating: "x", count: 2_000))
      #expect(try peer.takeAnswer().status == 200)
    }
    let third = try server.connect()
    third.send(head(2_000) + "x")
    let answer = try third.takeAnswer()
    #expect(answer.status == 429 && answer.header("retry-after") == "1" && answer.header("connection") == "close")
    #expect(third.waitForClose() && server.handler.held.count == 2)
    #expect(server.server.counters.turnedAway == 1)
    // The next request on a connection whose body had leave is counted as any other.
    server.clock.advance(by: .seconds(1))
    server.turn()
    let fourth = try server.connect()
    fourth.send(head(2_000) + String(repeating: "x", count: 2_000))
    #expect(fourth.wait { server.handler.held.count == 3 })
    server.handler.held[2].admitBody()
    #expect(try fourth.takeAnswer().status == 200)
    #expect(try fourth.exchange(head(1) + "x").status == 429)
  }
}
