import Reactor
import Testing

@testable import HTTPServer

/// What one address may have, and who counts as one.
@Suite struct AddressLimitsTests {
  private static let get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"
  private static let loopback = [IPBlock("127.0.0.0/8")!]

  private func configuration(_ change: (inout HTTPServer.Configuration) -> Void) -> HTTPServer.Configuration {
    var configuration = HTTPServer.Configuration()
    configuration.exemptsLoopback = false
    change(&configuration)
    return configuration
  }

  @Test func `one connection too many of an address is told 429, and others are served`() throws {
    let server = try TestServer(configuration: configuration { $0.connectionsPerAddress = 2 })
    let first = try server.connect()
    let second = try server.connect()
    let third = try server.connect()
    let answer = try third.takeAnswer()
    #expect(answer.status == 429)
    #expect(answer.header("retry-after") == "1")
    #expect(third.waitForClose())
    #expect(!third.wasReset)
    #expect(try first.exchange(Self.get).status == 200)
    #expect(try second.exchange(Self.get).status == 200)
    first.close()
    server.turn()
    third.close()
    server.turn()
    #expect(try server.connect().exchange(Self.get).status == 200)
    #expect(server.server.counters.turnedAway == 1)
    #expect(server.server.counters.malformed == 0)
  }

  @Test func `loopback has no limits unless told so`() throws {
    var configuration = HTTPServer.Configuration()
    configuration.connectionsPerAddress = 1
    configuration.requestsPerAddress = 1
    let server = try TestServer(configuration: configuration)
    let peers = try (0..<5).map { _ in try server.connect() }
    for peer in peers { for _ in 0..<5 { #expect(try peer.exchange(Self.get).status == 200) } }
    #expect(server.server.counts?.count == 0)
  }

  @Test func `requests have a rate: two seconds' worth at once, then as they come due`() throws {
    let server = try TestServer(configuration: configuration { $0.requestsPerAddress = 10 })
    let peer = try server.connect()
    let other = try server.connect()
    for number in 0..<20 { #expect(try (number % 2 == 0 ? peer : other).exchange(Self.get).status == 200) }
    let answer = try peer.exchange(Self.get)
    #expect(answer.status == 429)
    #expect(answer.header("retry-after") == "1")
    #expect(answer.header("connection") == nil)
    server.clock.advance(by: .milliseconds(100))
    server.turn()
    #expect(try peer.exchange(Self.get).status == 200)
    #expect(try other.exchange(Self.get).status == 429)
    #expect(server.server.counters.turnedAway == 2)
  }

  @Test func `a body that came with a request too many is skipped, not taken for a request`() throws {
    let server = try TestServer(configuration: configuration { $0.requestsPerAddress = 1 })
    let peer = try server.connect()
    for _ in 0..<2 { #expect(try peer.exchange(Self.get).status == 200) }
    #expect(try peer.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 28\r\n\r\n\(Self.get)").status == 429)
    server.clock.advance(by: .seconds(1))
    server.turn()
    #expect(try peer.exchange(Self.get).body == "GET /x ")
  }

  @Test func `behind a trusted proxy each client has a rate of its own`() throws {
    let server = try TestServer(
      configuration: configuration {
        $0.requestsPerAddress = 1
        $0.connectionsPerAddress = 1
        $0.trustedProxies = Self.loopback
      })
    let proxies = try (0..<3).map { _ in try server.connect() }
    func ask(_ proxy: Int, _ client: String) throws -> Int {
      try proxies[proxy].exchange("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: \(client)\r\n\r\n").status
    }
    #expect(try [0, 1, 2].map { try ask($0, "192.0.2.1") } == [200, 200, 429])
    #expect(try ask(0, "192.0.2.2") == 200)
    // Forged entries before the one that the proxy wrote change nothing.
    #expect(try ask(1, "203.0.113.5, 192.0.2.1") == 429)
    #expect(try ask(1, "2001:db8::1") == 200)
    #expect(try ask(1, "2001:db8::2") == 200)
    #expect(try ask(1, "2001:db8::3") == 429)
    // The proxy itself may ask what it likes.
    #expect(try (0..<5).map { _ in try proxies[0].exchange(Self.get).status } == [200, 200, 200, 200, 200])
  }

  @Test func `who has gone is forgotten`() throws {
    let server = try TestServer(configuration: configuration { $0.requestsPerAddress = 10 })
    let peer = try server.connect()
    #expect(try peer.exchange(Self.get).status == 200)
    #expect(server.server.counts?.count == 1)
    peer.close()
    server.advance(seconds: 3)
    #expect(server.server.counts?.count == 0)
  }

  @Test func `a proxy names its client at the start of the connection`() throws {
    var seen: [String] = []
    let server = try TestServer(
      configuration: configuration {
        $0.trustedProxies = Self.loopback
        $0.expectsProxyHeader = true
        $0.connectionsPerAddress = 1
      }
    ) { request, responder in
      seen.append("\(request.remoteAddress) \(request.clientAddress!)")
      responder.send(status: .ok)
    }
    let peer = try server.connect()
    peer.send(ProxyHeaderTests.header(ProxyHeaderTests.v4) + Array(Self.get.utf8))
    #expect(try peer.takeAnswer().status == 200)
    #expect(seen == ["192.0.2.7:4711 192.0.2.7"])
    // The same client by another connection is one too many, another is not.
    let second = try server.connect()
    second.send(ProxyHeaderTests.header(ProxyHeaderTests.v4))
    #expect(try second.takeAnswer().status == 429)
    let third = try server.connect()
    for byte in ProxyHeaderTests.header(0x21, 0x21, ProxyHeaderTests.v6) + Array(Self.get.utf8) {
      third.send([byte])
      server.turn(1)
    }
    #expect(try third.takeAnswer().status == 200)
  }

  @Test func `a trusted proxy without its header is cut off without an answer, also when it is slow`() throws {
    let server = try TestServer(
      configuration: configuration {
        $0.trustedProxies = Self.loopback
        $0.expectsProxyHeader = true
      })
    let peer = try server.connect()
    peer.send(Self.get)
    #expect(peer.waitForClose())
    #expect(peer.received.isEmpty)
    let slow = try server.connect()
    slow.send(Array(ProxyHeaderTests.signature[..<5]))
    server.advance(seconds: 22)
    #expect(slow.waitForClose())
    #expect(server.server.connectionCount == 0)
  }

  @Test func `a stranger cannot name a client`() throws {
    let server = try TestServer(
      configuration: configuration {
        $0.trustedProxies = [IPBlock("192.0.2.0/24")!]
        $0.expectsProxyHeader = true
      })
    let peer = try server.connect()
    peer.send(ProxyHeaderTests.header(ProxyHeaderTests.v4) + Array(Self.get.utf8))
    #expect(try peer.takeAnswer().status == 400)
    #expect(try server.connect().exchange(Self.get).status == 200)
  }

  @Test func `a full server lets a resting connection go for a new one, and refuses when all are busy`() throws {
    var configuration = HTTPServer.Configuration()
    configuration.connections = 2
    var waiting: [Responder] = []
    let server = try TestServer(configuration: configuration) { request, responder in
      if request.pathEquals("/wait") { waiting.append(responder) } else { responder.send(status: .ok) }
    }
    let resting = try server.connect()
    #expect(try resting.exchange(Self.get).status == 200)
    let busy = try server.connect()
    busy.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
    server.turn()
    let new = try server.connect()
    #expect(resting.waitForClose())
    #expect(!resting.wasReset)
    new.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
    server.turn()
    let late = try server.connect()
    let answer = try late.takeAnswer()
    #expect(answer.status == 503)
    #expect(answer.header("retry-after") == "1")
    for responder in waiting { responder.send(status: .ok) }
    #expect(try busy.takeAnswer().status == 200)
    #expect(try new.takeAnswer().status == 200)
  }
}
