import Reactor
import Testing

@testable import HTTPServer

/// What large bodies may hold together.
@Suite struct BodyRulesTests {
  private func server(
    _ memory: Int,
    _ handle: @escaping (Request, Responder) -> Void = { request, responder in
      responder.send(Response(status: .ok, contentType: "text/plain", body: "\(request.bodyCount)"))
    }
  ) throws -> TestServer {
    var configuration = HTTPServer.Configuration()
    configuration.bodyMemoryBytes = memory
    return try TestServer(configuration: configuration, handle)
  }

  private func head(_ length: Int) -> String { "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n" }
  private func text(_ count: Int) -> String { String(repeating: "x", count: count) }
  private func held(_ server: TestServer) -> Int { server.server.bodies.memory.held }

  @Test func `a body that does not fit beside the others is told 503 at once, and fits when they are done`() throws {
    let server = try server(600_000)
    let slow = try server.connect()
    slow.send(head(400_000) + text(300_000))
    server.turn(20)
    #expect(held(server) >= 300_000)
    let late = try server.connect()
    // Not one byte of its body is awaited.
    let refused = try late.exchange(head(400_000))
    #expect(refused.status == 503 && refused.header("retry-after") == "1" && late.waitForClose(), "\(refused)")
    // Small ones have nothing to do with it.
    #expect(try server.connect().exchange(head(60_000) + text(60_000)).body == "60000")
    slow.send(text(100_000))
    #expect(try slow.takeAnswer().body == "400000")
    #expect(held(server) == 0)
    #expect(try server.connect().exchange(head(400_000) + text(400_000)).body == "400000")
  }

  @Test func `a chunked body that grows beyond what is left is told 503 in the middle`() throws {
    let server = try server(400_000)
    let peer = try server.connect()
    let chunk = "8000\r\n\(text(0x8000))\r\n"
    peer.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<30 { peer.send(chunk) }
    #expect(try peer.takeAnswer().status == 503)
    #expect(held(server) == 0)
    let allocated = server.server.firstConnection?.request.store.input.allocatedBytes ?? 0
    #expect(allocated <= HTTPLimits.bodyReadBytes * 2, "\(allocated)")
    let other = try server.connect()
    other.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in 0..<3 { other.send(chunk) }
    #expect(try other.exchange("0\r\n\r\n").body == "\(3 * 0x8000)")
    #expect(held(server) == 0)
  }

  @Test func `long heads that never end count too, and are told 503 when there are too many`() throws {
    let server = try server(200_000)
    let line = "x: " + text(8_000) + "\r\n"
    let slow = try (0..<3).map { _ in try server.connect() }
    for peer in slow { peer.send("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: line, count: 7)) }
    server.turn(20)
    #expect(held(server) >= 3 * 50_000)
    let late = try server.connect()
    late.send("GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: line, count: 7))
    let refused = try late.takeAnswer()
    #expect(refused.status == 503 && refused.header("retry-after") == "1", "\(refused)")
    for peer in slow { #expect(try peer.exchange("\r\n").status == 200) }
    #expect(held(server) == 0)
    #expect(try server.connect().exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n").status == 200)
  }

  @Test func `what is announced and not sent keeps nobody out`() throws {
    let server = try server(600_000)
    let idlers = try (0..<20).map { _ in try server.connect() }
    for idler in idlers { idler.send(head(500_000) + "x") }
    server.turn(20)
    #expect(held(server) == 0)
    #expect(try server.connect().exchange(head(500_000) + text(500_000)).body == "500000")
  }

  @Test func `a body counts until its request is answered, or its client has gone`() throws {
    var waiting: [Responder] = []
    let server = try server(600_000) { _, responder in waiting.append(responder) }
    let peer = try server.connect()
    peer.send(head(300_000) + text(300_000) + head(3) + "abc")
    #expect(peer.wait { waiting.count == 1 })
    #expect(held(server) >= 300_000)
    // The connection itself has let go of it: whoever works on it has a copy.
    let connection = try #require(server.server.firstConnection)
    #expect(connection.request.store.input.allocatedBytes <= HTTPLimits.pipelinedBytes)
    waiting[0].send(status: .ok)
    #expect(held(server) == 0)
    // What was sent ahead is there still.
    #expect(peer.wait { waiting.count == 2 })
    waiting[1].send(status: .ok)
    #expect(try (0..<2).map { _ in try peer.takeAnswer().status } == [200, 200])
    peer.send(head(300_000) + text(200_000))
    server.turn(20)
    #expect(held(server) >= 200_000)
    peer.reset()
    server.turn(20)
    #expect(held(server) == 0)
  }

  @Test func `a copy counts as long as it is kept, also when its client has gone`() throws {
    var kept: [OwnedRequest] = []
    let server = try server(600_000) { request, _ in kept.append(request.owned()) }
    for _ in 0..<2 {
      let peer = try server.connect()
      peer.send(head(250_000) + text(250_000))
      let count = kept.count
      #expect(peer.wait { kept.count == count + 1 })
      peer.reset()
      server.turn(20)
    }
    #expect(server.server.connectionCount == 0)
    #expect(held(server) >= 500_000)
    #expect(try server.connect().exchange(head(250_000)).status == 503)
    kept = []
    #expect(held(server) == 0)
  }
}
