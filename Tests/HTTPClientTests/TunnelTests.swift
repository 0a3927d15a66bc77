import HTTPClient
import Reactor
import TestSupport
import Testing

/// The way through a proxy: what it is asked, and what becomes of each thing it may answer.
@Suite struct TunnelTests {
  private let clock = ManualClock()
  private let loop: EventLoop

  init() throws {
    loop = try EventLoop(clock: clock)
  }

  private static let opened = "HTTP/1.1 200 Connection established\r\n\r\n"

  private func client(_ server: RawServer, user: String = "", timeout: Duration = .seconds(30)) throws -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.timeout = timeout
    let proxy = try OutboundProxy("http://\(user)127.0.0.1:\(server.address.port)")
    configuration.tunnel = proxy.tunnel(to: "hooks.example", port: 8080)
    return HTTPClient(
      HTTPOrigin(host: "hooks.example:8080", address: server.address), loop: loop, configuration: configuration)
  }

  private func wait(until condition: () -> Bool) { _ = condition() || loop.turns(until: condition) }

  /// What a client is told when the proxy says this.
  private func outcome(of answer: String, user: String = "", closes: Bool = false) throws -> String {
    let server = try RawServer(loop: loop) { peer in
      peer.send(answer)
      if closes { peer.close() }
    }
    defer { server.stop() }
    let client = try client(server, user: user)
    defer { client.close() }
    var outcome: Result<HTTPResponse, HTTPClientError>?
    client.send(HTTPRequest("POST", "/x", body: Array("secret".utf8))) { outcome = $0 }
    wait { outcome != nil }
    #expect(server.peers.count == 1, "one question, one connection")
    #expect(server.peers.first?.text.contains("secret") == false, "what is for the server was told to the proxy")
    switch try #require(outcome, "no end") {
    case .success(let response): return "answered \(response.status)"
    case .failure(.noTunnel(let fault)):
      #expect(fault.reason.contains("127.0.0.1:\(server.address.port)"), "it does not name the proxy: \(fault.reason)")
      return fault.reason
    case .failure(let error): return "another failure: \(error)"
    }
  }

  @Test func `the proxy is asked to the letter, and then the server is spoken to`() throws {
    let server = try RawServer(loop: loop) { peer in
      if peer.text.contains("GET /") {
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      } else {
        peer.send(Self.opened)
      }
    }
    defer { server.stop() }
    let client = try client(server, user: "user:pa%40ss@")
    defer { client.close() }
    for _ in 0..<2 {
      var outcome: Result<HTTPResponse, HTTPClientError>?
      client.send(HTTPRequest("GET", "/a")) { outcome = $0 }
      wait { outcome != nil }
      #expect(try outcome?.get().text == "ok")
    }
    let connect = "CONNECT hooks.example:8080 HTTP/1.1\r\nHost: hooks.example:8080\r\n"
    let credential = "Proxy-Authorization: Basic dXNlcjpwYUBzcw==\r\n\r\n"
    let request = "GET /a HTTP/1.1\r\nHost: hooks.example:8080\r\n\r\n"
    #expect(server.peers.map(\.text) == [connect + credential + request + request])
  }

  @Test func `an answer in pieces is as good as one in one`() throws {
    let pieces = Array("HTTP/1.0 200 Connection established\r\nProxy-agent: tinyproxy/1.11.1\r\n\r\n")
    var told = false
    let server = try RawServer(loop: loop) { peer in
      guard !told else { return peer.send("HTTP/1.1 204 No\r\n\r\n") }
      told = true
      for piece in pieces { peer.send(String(piece)) }
    }
    defer { server.stop() }
    let client = try client(server)
    defer { client.close() }
    var outcome: Result<HTTPResponse, HTTPClientError>?
    client.send(HTTPRequest("GET", "/a")) { outcome = $0 }
    wait { outcome != nil }
    #expect(try outcome?.get().status == 204)
  }

  @Test(arguments: [
    (407, "asks for a user and a password (407)"), (403, "refuses hooks.example:8080 (403)"),
    (502, "cannot reach hooks.example:8080 (502)"), (500, "cannot reach hooks.example:8080 (500)"),
    (503, "busy, or cannot reach"), (504, "waited in vain for hooks.example:8080 (504)"),
    (405, "does not take CONNECT"), (400, "does not take CONNECT"), (501, "does not take CONNECT"),
    (302, "with 302"), (401, "asks for a user and a password (401)"), (101, "with 101"),
  ])
  func `each refusal is told in words`(status: Int, words: String) throws {
    let reason = try outcome(of: "HTTP/1.1 \(status) No\r\nContent-Length: 5\r\n\r\nsorry")
    #expect(reason.contains(words), "\(reason)")
  }

  @Test func `a password that is not taken is not shown`() throws {
    let reason = try outcome(of: "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\n\r\n", user: "user:sesame@")
    #expect(reason.contains("does not take the user and password of UPMC_PROXY_URL (407)"), "\(reason)")
    #expect(!reason.contains("sesame") && !reason.contains("user:"), "\(reason)")
  }

  @Test(arguments: [
    ("SSH-2.0-OpenSSH_9.2\r\n", "is no HTTP proxy"), ("HTTP/2.0 200 OK\r\n\r\n", "is no HTTP proxy"),
    ("HTTP/1.1 abc\r\n\r\n", "is no HTTP"), ("HTTP/1.1 200 OK\r\nno field\r\n\r\n", "is no HTTP"),
    ("HTTP/1.1 200 OK\r\nA: b\u{1}\r\n\r\n", "is no HTTP"),
    ("HTTP/1.1 200 OK\r\n\r\n\u{16}\u{3}\u{1}", "says more than that the tunnel is open"),
    ("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "says more than that the tunnel is open"),
    ("HTTP/1.1 200 OK\r\nX: \(String(repeating: "y", count: 20_000))", "a head without end"),
    ("HTTP/1.1 200 OK\r\nX: \(String(repeating: "y", count: 20_000))\r\n\r\n", "a head without end"),
  ])
  func `what is no answer to CONNECT opens nothing`(answer: String, words: String) throws {
    let reason = try outcome(of: answer)
    #expect(reason.contains(words), "\(reason)")
  }

  @Test(arguments: ["", "HTTP/1.1 200 Connection est", "HTTP/1.1 200 OK\r\nA: b\r\n"])
  func `a connection that ends before the answer does opens nothing`(answer: String) throws {
    let reason = try outcome(of: answer, closes: true)
    #expect(reason.contains("broke the connection instead of answering"), "\(reason)")
  }

  @Test(arguments: [30, 3]) func `a proxy that says nothing, or drips, is waited for as long as it is worth`(
    timeout: Int64
  ) throws {
    let server = try RawServer(loop: loop) { peer in peer.send("HTTP/1.1 2") }
    defer { server.stop() }
    let client = try client(server, timeout: .seconds(timeout))
    defer { client.close() }
    var outcome: Result<HTTPResponse, HTTPClientError>?
    client.send(HTTPRequest("GET", "/a")) { outcome = $0 }
    let limit = min(timeout, ProxyTunnel.Limits.seconds)
    for _ in 0..<(limit - 1) {
      clock.advance(by: .seconds(1))
      for _ in 0..<20 where outcome == nil { loop.turn(atMost: .zero) }
      server.peers.first?.send("0")
    }
    #expect(outcome == nil)
    clock.advance(by: .seconds(2))
    wait { outcome != nil }
    guard case .failure(.noTunnel(let fault))? = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    let reason = fault.reason
    #expect(reason.contains("does not answer") && reason.contains("127.0.0.1:\(server.address.port)"), "\(reason)")
  }

  @Test func `a refusal is known by its status line, whatever follows`() throws {
    let reason = try outcome(of: "HTTP/1.1 403 No\r\nno field\r\n\u{1}")
    #expect(reason.contains("refuses hooks.example:8080 (403)"), "\(reason)")
  }

  @Test(arguments: [1, ProxyTunnel.Limits.announcements, ProxyTunnel.Limits.announcements + 1])
  func `a few announcements before the answer are passed over`(count: Int) throws {
    let announcements = String(repeating: "HTTP/1.1 100 Continue\r\nA: b\r\n\r\n", count: count)
    let reason = try outcome(of: announcements + "HTTP/1.1 403 No\r\n\r\n")
    let words = count > ProxyTunnel.Limits.announcements ? "again and again" : "(403)"
    #expect(reason.contains(words), "\(reason)")
  }

  @Test func `a tunnel opens behind an announcement`() throws {
    let server = try RawServer(loop: loop) { peer in
      peer.send(peer.text.contains("GET /") ? "HTTP/1.1 204 No\r\n\r\n" : "HTTP/1.1 102 Wait\r\n\r\n" + Self.opened)
    }
    defer { server.stop() }
    let client = try client(server)
    defer { client.close() }
    var outcome: Result<HTTPResponse, HTTPClientError>?
    client.send(HTTPRequest("GET", "/a")) { outcome = $0 }
    wait { outcome != nil }
    #expect(try outcome?.get().status == 204)
  }

  @Test func `what went wrong behind a tunnel is told with the proxy, and without it to those who must not know`()
    throws
  {
    let tunnel = try OutboundProxy("http://[2001:db8::1]:3128").tunnel(to: "hooks.example", port: 443)
    let words = ProxyTunnel.behind(tunnel, "handshake: expired")
    #expect(words == "through the proxy [2001:db8::1]:3128: handshake: expired")
    #expect(ProxyTunnel.withoutProxy(words) == "handshake: expired")
    #expect(ProxyTunnel.behind(nil, "handshake: expired") == "handshake: expired")
    #expect(ProxyTunnel.withoutProxy("handshake: expired") == "handshake: expired")
  }

  @Test func `a proxy that is not there is named`() throws {
    let server = try RawServer(loop: loop) { _ in }
    server.stop()
    let client = try client(server)
    defer { client.close() }
    var outcome: Result<HTTPResponse, HTTPClientError>?
    client.send(HTTPRequest("GET", "/a")) { outcome = $0 }
    wait { outcome != nil }
    guard case .failure(.noTunnel(let fault))? = outcome else {
      Issue.record("\(String(describing: outcome))")
      return
    }
    let reason = fault.reason
    #expect(reason.contains("the proxy 127.0.0.1:\(server.address.port): connect"), "\(reason)")
  }

  @Test func `each connection has a tunnel of its own`() throws {
    let proxy = try ConnectProxy()
    defer { proxy.close() }
    let server = try RawServer(loop: loop) { _ in }
    defer { server.stop() }
    var configuration = HTTPClient.Configuration()
    configuration.tunnel = try OutboundProxy(proxy.url).tunnel(to: "127.0.0.1", port: server.address.port)
    let address = try SocketAddress.resolve(host: "127.0.0.1", port: proxy.port)[0]
    let client = HTTPClient(HTTPOrigin(host: "a", address: address), loop: loop, configuration: configuration)
    defer { client.close() }
    for number in 0..<3 { client.send(HTTPRequest("GET", "/\(number)")) { _ in } }
    wait { server.peers.filter { $0.text.hasSuffix("\r\n\r\n") }.count == 3 }
    #expect(server.peers.count == 3 && proxy.open == 3 && proxy.faults.isEmpty, "\(proxy.faults)")
    #expect(proxy.asked == Array(repeating: "127.0.0.1:\(server.address.port)", count: 3))
  }

  @Test func `a trial says why there is no way, and nothing when there is one`() throws {
    let proxy = try ConnectProxy(["push.invalid:443": 9])
    defer { proxy.close() }
    let listener = try Socket.listen(on: SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    let port = try #require(listener.localAddress?.port)
    let here = try OutboundProxy(proxy.url)
    func trial(_ host: String, _ port: UInt16, _ proxy: OutboundProxy) throws -> String? {
      TunnelTrial.fault(of: try #require(proxy.tunnel(to: host, port: port)))?.reason
    }
    #expect(try trial("127.0.0.1", port, here) == nil)
    proxy.refuse("127.0.0.1:\(port)")
    #expect(try trial("127.0.0.1", port, here)?.contains("refuses 127.0.0.1:\(port) (403)") == true)
    #expect(try trial("nowhere.invalid", 443, here)?.contains("cannot reach nowhere.invalid:443") == true)
    proxy.want("user", "pass")
    #expect(try trial("127.0.0.1", port, here)?.contains("asks for a user") == true)
    proxy.die()
    let reason = try trial("127.0.0.1", port, here)
    #expect(reason?.contains("the proxy 127.0.0.1:\(proxy.port)") == true, "\(reason ?? "it opened")")
    let unknown = try trial("127.0.0.1", port, OutboundProxy("http://proxy.invalid:3128"))
    #expect(unknown?.contains("the proxy proxy.invalid:3128: resolve") == true, "\(unknown ?? "it opened")")
    _ = listener
  }
}
