import HTTPServer
import Reactor
import TestSupport
import Testing

@testable import HTTPClient

@Suite struct HTTPClientTests {
  private let clock = ManualClock()
  private let loop: EventLoop

  init() throws {
    loop = try EventLoop(clock: clock)
  }

  private static func answer(_ body: String, headers: String = "") -> String {
    "HTTP/1.1 200 OK\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  private func client(
    _ server: RawServer, connections: Int = 8, change: (inout HTTPClient.Configuration) -> Void = { _ in }
  ) -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.connections = connections
    change(&configuration)
    return HTTPClient(HTTPOrigin(host: "test", address: server.address), loop: loop, configuration: configuration)
  }

  /// Turns the loop until `condition` holds.
  @discardableResult
  private func wait(until condition: () -> Bool) -> Bool { condition() || loop.turns(until: condition) }

  private final class Outcomes {
    var all: [Result<HTTPResponse, HTTPClientError>] = []
    var texts: [String] {
      all.map { outcome in
        switch outcome {
        case .success(let response): "\(response.status) \(response.text)"
        case .failure(let error): "\(error)"
        }
      }
    }
    var errors: [HTTPClientError] {
      all.compactMap { if case .failure(let error) = $0 { error } else { nil } }
    }
  }

  private func send(_ request: HTTPRequest, _ client: HTTPClient, _ outcomes: Outcomes, timeout: Duration? = nil) {
    client.send(request, timeout: timeout) { outcomes.all.append($0) }
  }

  // MARK: Ordinary life

  @Test func `a request goes out as it should`() throws {
    let server = try RawServer(loop: loop) { peer in peer.send(Self.answer("ok")) }
    let client = client(server)
    let outcomes = Outcomes()
    send(HTTPRequest("GET", "/a?b", headers: [("X-Y", "z")]), client, outcomes)
    #expect(wait { outcomes.all.count == 1 })
    #expect(outcomes.texts == ["200 ok"])
    #expect(server.peers[0].text == "GET /a?b HTTP/1.1\r\nHost: test\r\nX-Y: z\r\n\r\n")
    server.peers[0].forget()
    send(.json("POST", "/c", bearer: "key", body: Array("{}".utf8)), client, outcomes)
    #expect(wait { outcomes.all.count == 2 })
    #expect(
      server.peers[0].text
        == "POST /c HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nAuthorization: Bearer key\r\nContent-Length: 2\r\n\r\n{}"
    )
    #expect(server.peers.count == 1)
    client.close()
  }

  @Test func `completions never run inside send`() throws {
    let server = try RawServer(loop: loop) { peer in peer.send(Self.answer("ok")) }
    let client = client(server)
    let outcomes = Outcomes()
    client.close()
    send(HTTPRequest("GET", "/"), client, outcomes)
    #expect(outcomes.all.isEmpty)
    #expect(wait { outcomes.all.count == 1 })
    #expect(outcomes.errors == [.refused("the client is closed")])
  }

  @Test func `requests run at the same time, up to the limit of connections`() throws {
    let server = try RawServer(loop: loop) { _ in }
    let client = client(server, connections: 3)
    let outcomes = Outcomes()
    for number in 1...7 { send(HTTPRequest("GET", "/\(number)"), client, outcomes) }
    #expect(wait { server.peers.count == 3 && server.peers.allSatisfy { $0.requests == 1 } })
    #expect(client.pendingCount == 7)
    // Answered as they come, however many come at once.
    let areAnswered = wait {
      for peer in server.peers where peer.requests > 0 {
        peer.forget()
        peer.send(Self.answer("\(peer.number)"))
      }
      return outcomes.all.count == 7
    }
    #expect(areAnswered)
    #expect(outcomes.errors.isEmpty)
    #expect(server.peers.count == 3)
    #expect(client.pendingCount == 0)
    #expect(client.connectionCount == 3)
    client.close()
  }

  @Test func `a completion may send the next request`() throws {
    let server = try RawServer(loop: loop) { peer in peer.send(Self.answer("ok")) }
    let client = client(server)
    var left = 20
    func next() {
      client.send(HTTPRequest("GET", "/")) { _ in
        left -= 1
        if left > 0 { next() }
      }
    }
    next()
    #expect(wait { left == 0 })
    #expect(server.peers.count == 1)
    client.close()
  }

  @Test func `a connection that says close is not used again`() throws {
    let server = try RawServer(loop: loop) { peer in peer.send(Self.answer("ok", headers: "Connection: close\r\n")) }
    let client = client(server, connections: 1)
    let outcomes = Outcomes()
    for _ in 0..<2 { send(HTTPRequest("GET", "/"), client, outcomes) }
    #expect(wait { outcomes.all.count == 2 })
    #expect(server.peers.count == 2)
    #expect(client.connectionCount == 0)
  }

  @Test func `an answer in pieces, chunked, or ended by closing is read whole`() throws {
    let server = try RawServer(loop: loop) { peer in
      switch peer.text.split(separator: " ")[1] {
      case "/chunks": peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")
      case "/close":
        peer.send("HTTP/1.1 200 OK\r\n\r\nok")
        peer.close()
      default: peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no")
      }
      peer.forget()
    }
    let client = client(server)
    let outcomes = Outcomes()
    for target in ["/chunks", "/close", "/pieces"] { send(HTTPRequest("GET", target), client, outcomes) }
    #expect(wait { outcomes.all.count == 2 })
    for peer in server.peers { peer.send("k") }
    #expect(wait { outcomes.all.count == 3 })
    #expect(outcomes.texts == ["200 ok", "200 ok", "200 ok"])
    client.close()
  }

  // MARK: Failure

  @Test func `nobody listens`() throws {
    // Nobody listens there, and nobody gets it who asks for any port.
    let free = try SocketAddress.resolve(host: "127.0.0.1", port: 9)[0]
    let client = HTTPClient(HTTPOrigin(host: "test", address: free), loop: loop)
    let outcomes = Outcomes()
    send(HTTPRequest("GET", "/"), client, outcomes)
    #expect(wait { outcomes.all.count == 1 })
    guard case .unreachable(let reason)? = outcomes.errors.first else {
      Issue.record("not unreachable: \(outcomes.texts)")
      return
    }
    #expect(reason.contains("refused"))
    #expect(client.connectionCount == 0)
  }

  @Test func `what cannot be reached at one address is reached at the next, or fails after the last`() throws {
    let server = try RawServer(loop: loop) { peer in peer.send(Self.answer("ok")) }
    let gone = try RawServer(loop: loop) { _ in }
    gone.stop()
    let outcomes = Outcomes()
    let client = HTTPClient(HTTPOrigin(host: "test", addresses: [gone.address, server.address]), loop: loop)
    for _ in 0..<2 { send(HTTPRequest("POST", "/"), client, outcomes) }
    #expect(wait { outcomes.all.count == 2 })
    #expect(outcomes.texts == ["200 ok", "200 ok"])
    client.close()
    let lost = HTTPClient(HTTPOrigin(host: "test", addresses: [gone.address, gone.address]), loop: loop)
    send(HTTPRequest("POST", "/"), lost, outcomes)
    #expect(wait { outcomes.all.count == 3 })
    #expect(outcomes.errors.count == 1 && lost.connectionCount == 0)
  }

  @Test func `the answer takes too long`() throws {
    let server = try RawServer(loop: loop) { _ in }
    let client = client(server, connections: 1)
    let outcomes = Outcomes()
    send(HTTPRequest("GET", "/1"), client, outcomes)
    send(HTTPRequest("GET", "/2"), client, outcomes, timeout: .seconds(5))
    wait { server.peers.first?.requests == 1 }
    clock.advance(by: .seconds(6))
    #expect(wait { outcomes.all.count == 1 })
    #expect(server.peers[0].requests == 1)
    clock.advance(by: .seconds(25))
    #expect(wait { outcomes.all.count == 2 })
    #expect(outcomes.errors == [.timedOut, .timedOut])
    #expect(client.connectionCount == 0)
  }

  @Test func `a lost request that may be repeated is repeated once`() throws {
    let server = try RawServer(loop: loop) { peer in
      if peer.number < 2 { peer.reset() } else { peer.send(Self.answer("ok")) }
    }
    let client = client(server)
    let outcomes = Outcomes()
    send(HTTPRequest("GET", "/"), client, outcomes)
    #expect(wait { outcomes.all.count == 1 })
    #expect(outcomes.texts == ["200 ok"])
    #expect(server.peers.count == 2)
    client.close()
  }

  @Test func `twice lost is lost`() throws {
    let server = try RawServer(loop: loop) { peer in peer.close() }
    let client = client(server)
    let outcomes = Outcomes()
    send(HTTPRequest("GET", "/"), client, outcomes)
    #expect(wait { outcomes.all.count == 1 })
    #expect(outcomes.errors == [.lost("the server closed it")])
    #expect(server.peers.count == 2)
  }

  @Test func `a lost POST may have been carried out and is not repeated`() throws {
    let server = try RawServer(loop: loop) { peer in peer.reset() }
    let client = client(server)
    let outcomes = Outcomes()
    send(HTTPRequest("POST", "/", body: [1]), client, outcomes)
    #expect(wait { outcomes.all.count == 1 })
    guard case .lost? = outcomes.errors.first else {
      Issue.record("not lost: \(outcomes.texts)")
      return
    }
    #expect(server.peers.count == 1)
    var protected = HTTPRequest("POST", "/", body: [1])
    protected.isRepeatable = true
    send(protected, client, outcomes)
    #expect(wait { outcomes.all.count == 2 })
    #expect(server.peers.count == 3)
  }

  @Test func `an answer that broke off is lost, whatever the method`() throws {
    let server = try RawServer(loop: loop) { peer in
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel")
      peer.close()
    }
    let client = client(server)
    let outcomes = Outcomes()
    send(HTTPRequest("GET", "/"), client, outcomes)
    #expect(wait { outcomes.all.count == 1 })
    #expect(outcomes.errors == [.lost("the server closed it")])
    #expect(server.peers.count == 1)
  }

  @Test func `a connection that the server closed while idle is not written to`() throws {
    let server = try RawServer(loop: loop) { peer in peer.send(Self.answer("ok")) }
    let client = client(server)
    let outcomes = Outcomes()
    send(HTTPRequest("POST", "/"), client, outcomes)
    #expect(wait { outcomes.all.count == 1 })
    server.peers[0].close()
    // Sent in the same turn in which the end arrives: the end is seen first.
    send(HTTPRequest("POST", "/"), client, outcomes)
    #expect(wait { outcomes.all.count == 2 })
    #expect(outcomes.texts == ["200 ok", "200 ok"])
    #expect(server.peers.count == 2)
    client.close()
  }

  @Test func `a server that speaks unasked loses its connection`() throws {
    let server = try RawServer(loop: loop) { peer in peer.send(Self.answer("ok") + Self.answer("evil")) }
    let client = client(server)
    let outcomes = Outcomes()
    for number in 1...3 {
      send(HTTPRequest("GET", "/"), client, outcomes)
      #expect(wait { outcomes.all.count == number })
    }
    #expect(outcomes.texts == ["200 ok", "200 ok", "200 ok"])
    #expect(server.peers.count == 3)
  }

  @Test func `what is no HTTP is malformed`() throws {
    let server = try RawServer(loop: loop) { peer in peer.send("SSH-2.0-OpenSSH\r\n\r\n") }
    let client = client(server)
    let outcomes = Outcomes()
    send(HTTPRequest("GET", "/"), client, outcomes)
    #expect(wait { outcomes.all.count == 1 })
    #expect(outcomes.errors == [.malformed("it has no status line")])
    #expect(client.connectionCount == 0)
  }

  @Test func `an early answer to a large body counts`() throws {
    let server = try RawServer(loop: loop) { peer in
      guard peer.received.count < 70_000 else { return }
      peer.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }
    let client = client(server)
    let outcomes = Outcomes()
    send(HTTPRequest("POST", "/", body: [UInt8](repeating: 0, count: 20_000_000)), client, outcomes)
    #expect(wait { outcomes.all.count == 1 })
    #expect(outcomes.texts == ["413 "])
    #expect(client.connectionCount == 0)
  }

  @Test func `an idle connection is closed after its time`() throws {
    let server = try RawServer(loop: loop) { peer in peer.send(Self.answer("ok")) }
    let client = client(server)
    let outcomes = Outcomes()
    send(HTTPRequest("GET", "/"), client, outcomes)
    #expect(wait { outcomes.all.count == 1 })
    clock.advance(by: .seconds(29))
    loop.turn(atMost: .zero)
    #expect(client.connectionCount == 1)
    clock.advance(by: .seconds(2))
    #expect(wait { client.connectionCount == 0 && server.peers[0].isClosed })
    // Nothing is under way: the loop is left in peace.
    clock.advance(by: .seconds(1))
    loop.turn(atMost: .zero)
    let start = SystemClock().now
    loop.turn(atMost: .milliseconds(30))
    #expect(SystemClock().now - start >= .milliseconds(25))
  }

  @Test func `closing fails what is under way and what waits`() throws {
    let server = try RawServer(loop: loop) { _ in }
    let client = client(server, connections: 1)
    let outcomes = Outcomes()
    for _ in 0..<3 { send(HTTPRequest("GET", "/"), client, outcomes) }
    wait { server.peers.first?.requests == 1 }
    client.close()
    #expect(outcomes.errors == [.closed, .closed, .closed])
    #expect(client.connectionCount == 0)
  }

  @Test func `a full queue refuses`() throws {
    let server = try RawServer(loop: loop) { _ in }
    let client = client(server, connections: 1) { $0.waitingRequests = 2 }
    let outcomes = Outcomes()
    for _ in 0..<3 { send(HTTPRequest("GET", "/"), client, outcomes) }
    #expect(wait { outcomes.all.count == 1 })
    #expect(outcomes.errors == [.refused("too many requests wait")])
    client.close()
  }

  @Test(arguments: [
    HTTPRequest("GE T", "/"), HTTPRequest("", "/"), HTTPRequest("GET", ""), HTTPRequest("GET", "/a b"),
    HTTPRequest("GET", "/ HTTP/1.1\r\nX: y"), HTTPRequest("GET", "/", headers: [("X", "a\r\nY: b")]),
    HTTPRequest("GET", "/", headers: [("X Y", "a")]), HTTPRequest("GET", "/", headers: [("", "a")]),
    HTTPRequest("GET", "/", headers: [("Content-Length", "5")]), HTTPRequest("GET", "/", headers: [("host", "x")]),
    HTTPRequest("GET", "/", headers: [("Transfer-Encoding", "chunked")]),
  ])
  func `a request that could be read in two ways is refused`(_ request: HTTPRequest) throws {
    let server = try RawServer(loop: loop) { _ in }
    let client = client(server)
    let outcomes = Outcomes()
    send(request, client, outcomes)
    #expect(wait { outcomes.all.count == 1 })
    guard case .refused? = outcomes.errors.first else {
      Issue.record("not refused: \(outcomes.texts)")
      return
    }
    #expect(server.peers.isEmpty)
  }
}
