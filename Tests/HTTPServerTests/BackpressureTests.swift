import Glibc
import Reactor
import Testing

@testable import HTTPServer

@Suite struct BackpressureTests {
  static let get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test func `no further request is begun while the client does not read its answers`() throws {
    var handled = 0
    let body = [UInt8](repeating: 120, count: 10_000)
    let server = try TestServer { _, responder in
      handled += 1
      responder.send(status: .ok, contentType: "text/plain", body: body)
    }
    let peer = try server.connect(receiveBufferBytes: 262_144)
    let requests = 2_000
    for _ in 0..<requests { peer.send(Self.get) }
    server.turn(50)
    #expect(handled < requests)
    let stalled = handled
    server.turn(50)
    #expect(handled == stalled)
    var answers = 0
    while answers < requests, (try? peer.takeAnswer()) != nil { answers += 1 }
    #expect(answers == requests)
    #expect(handled == requests)
  }

  @Test func `clients that never read hold no more than their share all together, and others are answered`() throws {
    var configuration = HTTPServer.Configuration()
    configuration.outputMemoryBytes = 500_000
    let body = [UInt8](repeating: 120, count: 10_000)
    let server = try TestServer(configuration: configuration) { _, responder in
      responder.send(status: .ok, contentType: "text/plain", body: body)
    }
    let peers = try (0..<10).map { _ in try server.connect(receiveBufferBytes: 65_536) }
    for peer in peers { peer.send(String(repeating: Self.get, count: 600)) }
    server.turn(100)
    // Without the limit they would hold 2.6 MB.
    #expect(server.server.unsentBytes < 1_000_000, "\(server.server.unsentBytes)")
    #expect(try server.connect().exchange(Self.get).body.utf8.count == 10_000)
    // Whoever reads after all gets everything, in its order.
    for peer in peers {
      for _ in 0..<600 { #expect(try peer.takeAnswer().body.utf8.count == 10_000) }
    }
    #expect(server.server.unsentBytes == 0)
  }

  @Test func `requests sent ahead of a slow handler are left in the kernel`() throws {
    var waiting: [Responder] = []
    let server = try TestServer { _, responder in waiting.append(responder) }
    let peer = try server.connect()
    // Without a limit all 2.8 MB would be taken into memory.
    let burst = Array(String(repeating: Self.get, count: 100_000).utf8)
    peer.send(burst)
    server.turn(200)
    let connection = try #require(server.server.firstConnection)
    // No budget counts what was sent ahead: no more of it than of a small request.
    #expect(connection.request.store.input.count <= HTTPLimits.freeBodyBytes + 2 * HTTPLimits.readBytes)
    #expect(waiting.count == 1)
  }

  @Test func `a large body is sent whole, and its memory given back`() throws {
    let large = (0..<5_000_000).map { UInt8(truncatingIfNeeded: 33 + $0 % 90) }
    let server = try TestServer { _, responder in responder.send(Response(status: .ok, body: large)) }
    let peer = try server.connect()
    peer.send(Self.get + Self.get)
    for _ in 0..<2 { #expect(try Array(peer.takeAnswer().body.utf8) == large) }
  }

  @Test func `middling bodies, sent from where they lie, keep their place among others`() throws {
    let server = try TestServer { request, responder in
      let count = Int(request.path.dropFirst()) ?? 0
      responder.send(Response(status: .ok, body: [UInt8](repeating: UInt8(33 + count % 90), count: count)))
    }
    let peer = try server.connect()
    let sizes = [20_000, 3, 16_384, 16_383, 50_000, 0, 1, 200_000, 7, 30_000]
    peer.send(sizes.map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
    for size in sizes {
      let body = try peer.takeAnswer().body.utf8
      #expect(body.count == size)
      #expect(body.allSatisfy { $0 == UInt8(33 + size % 90) })
    }
  }

  @Test func `the buffer of a large body is given back at once, and that of a large head that came in parts`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    let body = String(repeating: "x", count: 900_000)
    #expect(try peer.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n\(body)").status == 200)
    let connection = try #require(server.server.firstConnection)
    #expect(connection.request.store.input.allocatedBytes <= HTTPLimits.idleBufferBytes)
    let lines = (1...5).map { "X-\($0): \(String(repeating: "x", count: 8_000))\r\n" }.joined()
    #expect(try peer.exchange("GET /x HTTP/1.1\r\nHost: a\r\n\(lines)\r\n").status == 200)
    #expect(connection.request.store.input.allocatedBytes <= HTTPLimits.idleBufferBytes)
    #expect(try peer.exchange(Self.get).status == 200)
  }

  @Test func `connections beyond the limit are told 503`() throws {
    var configuration = HTTPServer.Configuration()
    configuration.connections = 2
    let server = try TestServer(configuration: configuration)
    let first = try server.connect()
    let second = try server.connect()
    let third = try server.connect()
    let answer = try third.takeAnswer()
    #expect(answer.status == 503)
    #expect(answer.header("retry-after") == "1")
    #expect(third.waitForClose())
    third.close()
    #expect(try first.exchange(Self.get).status == 200)
    second.close()
    server.turn()
    #expect(try server.connect().exchange(Self.get).status == 200)
  }

  @Test func `a connection whose request was sent ahead is not closed for a new one`() throws {
    var configuration = HTTPServer.Configuration()
    configuration.connections = 1
    var waiting: [Responder] = []
    let server = try TestServer(configuration: configuration) { _, responder in waiting.append(responder) }
    let peer = try server.connect()
    peer.send(Self.get + Self.get)
    server.turn()
    // Answered by a timer, the first is sent in this iteration; in the next the new one is accepted before the second
    // request begins.
    server.loop.schedule(after: .zero) { waiting[0].send(status: .ok) }
    server.turn(1)
    let late = try Peer(server: server, address: server.address, isQuiet: true)
    #expect(try late.takeAnswer().status == 503)
    try #require(waiting.count == 2)
    waiting[1].send(status: .ok)
    for _ in 0..<2 { #expect(try peer.takeAnswer().status == 200) }
  }

  @Test func `a connection whose request has arrived unseen is not closed for a new one`() throws {
    var configuration = HTTPServer.Configuration()
    configuration.connections = 1
    let server = try TestServer(configuration: configuration)
    let peer = try server.connect()
    #expect(try peer.exchange(Self.get).status == 200)
    server.turn()
    // The kernel tells of the new one first.
    let late = try Peer(server: server, address: server.address, isQuiet: true)
    peer.send(Self.get)
    #expect(try late.takeAnswer().status == 503)
    #expect(try peer.takeAnswer().status == 200)
  }

  @Test func `far beyond the limit connections wait in the kernel and the loop rests`() throws {
    var configuration = HTTPServer.Configuration()
    configuration.connections = 1
    let server = try TestServer(configuration: configuration)
    var peers: [Peer] = []
    for _ in 0..<HTTPLimits.refusals + 3 { peers.append(try server.connect()) }
    #expect(server.server.connectionCount == HTTPLimits.refusals + 1)
    // The two that wait make the listening socket readable: it must not be watched.
    let start = SystemClock().now
    server.loop.turn(atMost: .milliseconds(30))
    #expect(SystemClock().now - start >= .milliseconds(25))
    for peer in peers.prefix(10) { peer.close() }
    server.turn()
    #expect(try peers[peers.count - 1].takeAnswer().status == 503)
  }
}
