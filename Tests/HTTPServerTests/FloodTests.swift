import Reactor
import Testing

@testable import HTTPServer

/// One client that asks as much as it can beside others that ask a little (RFC 9112 §9.3.2, §9.4).
@Suite struct FloodTests {
  private static let get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test func `thousands of requests in one go keep nobody waiting, and each is answered in its order`() throws {
    var handled = 0
    let server = try TestServer { request, responder in
      handled += 1
      responder.send(Response(status: .ok, contentType: "text/plain", body: request.path))
    }
    let others = try (0..<5).map { _ in try server.connect() }
    let flood = try server.connect()
    flood.send((0..<5_000).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
    for other in others { other.send(Self.get) }
    let before = handled
    server.turn(2)
    // What one read brings is handled at once, a few hundred at most; then the others have their turn.
    #expect(handled - before < 500, "\(handled - before)")
    for other in others {
      other.receive()
      #expect(other.text.hasSuffix("\r\n\r\n/x"), "\(other.text)")
    }
    for number in 0..<5_000 where try flood.takeAnswer().body != "/\(number)" {
      Issue.record("answer \(number) is missing")
      break
    }
  }

  @Test func `whoever floods and never reads holds a bounded part, is cut off, and others never notice`() throws {
    let body = [UInt8](repeating: 120, count: 1_000)
    let server = try TestServer { _, responder in
      responder.send(status: .ok, contentType: "text/plain", body: body)
    }
    let floods = try (0..<5).map { _ in try server.connect(receiveBufferBytes: 4_096) }
    // As much as the kernel takes: a client that sends for ever is not read for ever.
    for flood in floods { flood.send(String(repeating: Self.get, count: 8_000)) }
    server.turn(100)
    #expect(server.server.unsentBytes <= 5 * (HTTPLimits.outputBytes + 300_000), "\(server.server.unsentBytes)")
    for second in 0..<40 {
      server.advance(seconds: 1)
      #expect(try server.connect().exchange(Self.get).status == 200, "after \(second) s")
    }
    #expect(floods.allSatisfy { $0.waitForClose() })
    #expect(server.server.unsentBytes == 0)
    #expect(server.server.counters.timedOut == 5)
  }

  @Test func `a flood of heads that are refused ends with the first`() throws {
    var handled = 0
    let server = try TestServer { _, responder in
      handled += 1
      responder.send(status: .ok)
    }
    let peer = try server.connect()
    peer.send(Self.get + String(repeating: "BAD\r\n\r\n", count: 10_000) + Self.get)
    #expect(try (0..<2).map { _ in try peer.takeAnswer().status } == [200, 400])
    #expect(peer.waitForClose())
    #expect(handled == 1 && peer.received.isEmpty)
  }

  @Test func `a body that is awaited before Continue does not hold up others, and is dropped when it never comes`()
    throws
  {
    let server = try TestServer()
    let waiting = try (0..<50).map { _ in try server.connect() }
    for peer in waiting { peer.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n") }
    server.turn()
    #expect(try server.connect().exchange(Self.get).status == 200)
    server.advance(seconds: 62)
    for peer in waiting {
      #expect(peer.waitForClose())
      #expect(peer.text.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 408 "), "\(peer.text)")
    }
  }
}
