import Reactor
import TLS
import Testing

@testable import HTTPServer

/// HTTPS: everything that plain connections do, and what TLS adds.
@Suite struct SecureConnectionTests {
  private static let get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"

  let authority: CertificateAuthority
  let context: TLSContext

  init() throws {
    authority = try CertificateAuthority()
    context = try .server(identity: authority.issueServer(), protocols: ["http/1.1"])
  }

  @Test func `requests are answered one after the other, and ahead of each other`() throws {
    let server = try TestServer(tls: context)
    let peer = try SecurePeer(server, authority: authority)
    #expect(peer.negotiatedProtocol == "http/1.1")
    #expect(peer.version == "TLSv1.3")
    #expect(try peer.exchange(Self.get).body == "GET /x ")
    peer.send(String(repeating: Self.get, count: 1_000))
    for _ in 0..<1_000 { #expect(try peer.takeAnswer().status == 200) }
    #expect(server.server.connectionCount == 1)
    peer.close()
    server.turn()
    #expect(server.server.connectionCount == 0)
  }

  @Test func `browsers are told to stay with TLS, and on any connection not to guess types`() throws {
    let secure = try SecurePeer(try TestServer(tls: context), authority: authority).exchange(Self.get)
    #expect(secure.header("strict-transport-security") == "max-age=31536000")
    let plain = try TestServer().connect().exchange(Self.get)
    #expect(plain.header("strict-transport-security") == nil)
    for answer in [secure, plain] { #expect(answer.header("x-content-type-options") == "nosniff") }
  }

  @Test func `large bodies pass both ways`() throws {
    var configuration = HTTPServer.Configuration()
    configuration.bodyBytes = 20_000_000
    let server = try TestServer(configuration: configuration, tls: context)
    let peer = try SecurePeer(server, authority: authority)
    let body = String(repeating: "0123456789abcdef", count: 1_000_000)
    peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n")
    // In parts: both ends share this thread, and each must read what the other writes.
    #expect(try peer.exchange(body).body == "POST / " + body)
    #expect(try peer.exchange(Self.get).status == 200)
  }

  @Test func `a client without ALPN is served, one that speaks only HTTP 2 is not`() throws {
    let server = try TestServer(tls: context)
    #expect(try SecurePeer(server, authority: authority, protocols: []).exchange(Self.get).status == 200)
    #expect(try !SecurePeer(server, authority: authority, protocols: ["h2"]).isOpen)
    #expect(
      try SecurePeer(server, authority: authority, protocols: ["h2", "http/1.1"]).exchange(Self.get).status == 200)
    server.turn()
  }

  @Test func `the end is announced, so that no answer can be cut short unnoticed`() throws {
    let server = try TestServer(tls: context)
    let peer = try SecurePeer(server, authority: authority)
    #expect(try peer.exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").status == 200)
    #expect(peer.wait { peer.isEnded })
    #expect(!peer.isCut)
    let idle = try SecurePeer(server, authority: authority)
    #expect(try idle.exchange(Self.get).status == 200)
    server.server.drain()
    #expect(idle.wait { idle.isEnded || idle.isCut })
    #expect(idle.isEnded)
  }

  @Test func `a half-closed client gets its answer`() throws {
    let server = try TestServer(tls: context)
    let peer = try SecurePeer(server, authority: authority)
    peer.send(Self.get)
    peer.finish()
    #expect(try peer.takeAnswer().status == 200)
    #expect(peer.wait { peer.isEnded })
    server.turn()
    peer.close()
    server.turn()
    #expect(server.server.connectionCount == 0)
  }

  @Test func `whoever speaks plainly, or nothing, gets no HTTP from a TLS port`() throws {
    let server = try TestServer(tls: context)
    let plain = try server.connect()
    plain.send(Self.get)
    #expect(plain.waitForClose())
    #expect(!plain.text.hasPrefix("HTTP/"))
    let silent = try server.connect()
    server.advance(seconds: 22)
    #expect(silent.waitForClose())
    #expect(silent.received.isEmpty)
    #expect(server.server.connectionCount == 0)
    #expect(server.server.counters.timedOut == 1)
  }

  @Test func `hostile requests are answered the same under TLS`() throws {
    let server = try TestServer(tls: context)
    for entry in HostileRequest.malformed.filter({ $0.bytes.count < 1_000 }).prefix(60) {
      let peer = try SecurePeer(server, authority: authority)
      peer.send(String(decoding: entry.bytes, as: UTF8.self))
      peer.send(Self.get)
      #expect(try peer.takeAnswer().status == entry.answers[0], "\(entry.name)")
      #expect(peer.wait { peer.isEnded || peer.isCut })
      #expect(peer.received.isEmpty)
    }
  }

  @Test func `a new certificate serves new connections, and the old ones go on`() throws {
    let server = try TestServer(tls: context)
    let old = try SecurePeer(server, authority: authority)
    #expect(try old.exchange(Self.get).status == 200)
    let later = Int64(4_000_000_000)
    server.server.tls = try .server(identity: authority.issueServer(notAfter: later), protocols: ["http/1.1"])
    let new = try SecurePeer(server, authority: authority)
    #expect(new.serverEnds == later)
    #expect(try new.exchange(Self.get).status == 200)
    #expect(try old.exchange(Self.get).status == 200)
    #expect(old.serverEnds != later)
  }

  @Test func `a proxy's header comes before the handshake`() throws {
    var configuration = HTTPServer.Configuration()
    configuration.trustedProxies = [IPBlock("127.0.0.0/8")!]
    configuration.expectsProxyHeader = true
    var seen: [IPAddress?] = []
    let server = try TestServer(configuration: configuration, tls: context) { request, responder in
      seen.append(request.clientAddress)
      responder.send(status: .ok)
    }
    let peer = try SecurePeer(server, authority: authority, before: ProxyHeaderTests.header(ProxyHeaderTests.v4))
    #expect(try peer.exchange(Self.get).status == 200)
    #expect(seen == [IPAddress("192.0.2.7")])
  }

  @Test func `a full server says 503 also under TLS`() throws {
    var configuration = HTTPServer.Configuration()
    configuration.connections = 1
    let server = try TestServer(configuration: configuration, tls: context)
    let first = try SecurePeer(server, authority: authority)
    let second = try SecurePeer(server, authority: authority)
    #expect(try second.takeAnswer().status == 503)
    #expect(second.wait { second.isEnded })
    #expect(try first.exchange(Self.get).status == 200)
  }
}
