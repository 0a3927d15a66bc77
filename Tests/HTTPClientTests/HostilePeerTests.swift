import Reactor
import TLS
import TestSupport
import Testing

@testable import HTTPClient

/// Servers that never come to an end: each costs its own request, never the thread that all share.
@Suite struct HostilePeerTests {
  struct Flood: Sendable, CustomTestStringConvertible {
    let name: String
    var opening = ""
    let piece: String
    var most = Int.max
    /// Why the answer is not read on; nil when the deadline ends it, before anything was asked.
    var reason: String?
    var isSecure = false

    var testDescription: String { name }
  }

  private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  static let floods = [
    Flood(
      name: "100 Continue", piece: String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1_000),
      reason: "too much is announced before it"),
    Flood(
      name: "a few large 1xx", piece: "HTTP/1.1 103 Early\r\nX: \(String(repeating: "x", count: 60_000))\r\n\r\n",
      reason: "its head is too long"),
    Flood(
      name: "a header without end", opening: "HTTP/1.1 200 OK\r\nX: ", piece: String(repeating: "x", count: 60_000),
      reason: "its head is too long"),
    Flood(
      name: "headers without end", opening: "HTTP/1.1 200 OK\r\n", piece: String(repeating: "a:\r\n", count: 10_000),
      reason: "its head is too long"),
    Flood(
      name: "chunks of one byte", opening: chunked, piece: String(repeating: "1\r\nx\r\n", count: 10_000),
      reason: "its body is too long"),
    Flood(
      name: "chunk extensions", opening: chunked, piece: "1;\(String(repeating: "x", count: 8_000))\r\nx\r\n",
      reason: "its chunk extensions are too long"),
    Flood(
      name: "trailers", opening: chunked + "0\r\n", piece: String(repeating: "A: b\r\n", count: 10_000),
      reason: "its trailers are too long"),
    Flood(
      name: "a body without end", opening: "HTTP/1.1 200 OK\r\n\r\n", piece: String(repeating: "x", count: 60_000),
      reason: "its body is too long"),
    Flood(
      name: "HelloRequests instead of a handshake",
      piece: "\u{16}\u{3}\u{3}\u{40}\u{0}" + String(repeating: "\u{0}", count: 0x4000), isSecure: true),
  ]

  @Test(arguments: floods) func `a flood ends, and meanwhile the neighbours of the thread go on`(
    _ kind: Flood
  ) throws {
    let loop = try EventLoop()
    let flood = try FloodServer(opening: Array(kind.opening.utf8), piece: Array(kind.piece.utf8), most: kind.most)
    let neighbour = try RawServer(loop: loop) { peer in peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
    var configuration = HTTPClient.Configuration()
    configuration.bodyBytes = 8_192
    configuration.timeout = .patience
    let quiet = HTTPClient(
      HTTPOrigin(host: "quiet", address: neighbour.address), loop: loop, configuration: configuration)
    // What is refused is refused when it is read; only the handshake ends by its deadline.
    configuration.timeout = kind.reason == nil ? .seconds(2) : .patience
    if kind.isSecure {
      configuration.security = HTTPClientSecurity(
        context: try TLSContext.client(trust: TLSContext.Trust(systemAuthorities: false), protocols: ["http/1.1"]),
        serverName: "127.0.0.1")
    }
    let hostile = HTTPClient(
      HTTPOrigin(host: "hostile", address: flood.address), loop: loop, configuration: configuration)
    var flooded: Result<HTTPResponse, HTTPClientError>?
    hostile.send(HTTPRequest("POST", "/", body: [1])) { flooded = $0 }
    var answers = 0
    var wasOver = false
    func ask() {
      quiet.send(HTTPRequest("GET", "/")) { _ in
        answers += 1
        wasOver = wasOver || flood.isOver
        if flooded == nil { ask() }
      }
    }
    ask()
    while flooded == nil || quiet.pendingCount > 0 { loop.turn(atMost: .milliseconds(100)) }
    #expect(answers > 0 && !wasOver && !flood.isOver, "the thread was held for as long as the flood went on")
    guard case .failure(let error)? = flooded else { return #expect(Bool(false), "\(kind.name) was an answer") }
    #expect(error == kind.reason.map { .malformed($0) } ?? .unreachable("no answer to the handshake of TLS"))
    #expect(hostile.connectionCount == 0)
    quiet.close()
    neighbour.stop()
    flood.stop()
  }

  @Test func `a turn reads a bounded part of what has come`() throws {
    let loop = try EventLoop()
    let flood = try FloodServer(
      opening: Array("HTTP/1.1 200 OK\r\nContent-Length: 33554432\r\n\r\n".utf8),
      piece: [UInt8](repeating: 120, count: 65_536), most: 33_554_432)
    var configuration = HTTPClient.Configuration()
    configuration.bodyBytes = 33_554_432
    configuration.timeout = .patience
    let client = HTTPClient(
      HTTPOrigin(host: "large", address: flood.address), loop: loop, configuration: configuration)
    var length: Int?
    client.send(HTTPRequest("GET", "/")) { length = (try? $0.get())?.body.count }
    var turns = 0
    while length == nil, turns < 1_000_000 {
      loop.turn(atMost: .milliseconds(100))
      turns += 1
    }
    // A turn may see the end of one part and the beginning of the next.
    #expect(length == 33_554_432 && turns >= 33_554_432 / HTTPClientLimits.bytesPerTurn / 2, "\(turns) turns")
    client.close()
  }

  @Test func `a turn reads once, however little data lies in what it has read`() throws {
    let loop = try EventLoop()
    let authority = try CertificateAuthority()
    let listener = try Socket.listen(on: SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    guard let address = listener.localAddress else { throw SystemError.last("getsockname") }
    var configuration = HTTPClient.Configuration()
    configuration.timeout = .patience
    configuration.bodyBytes = 300_000
    configuration.security = HTTPClientSecurity(
      context: try TLSContext.client(
        trust: TLSContext.Trust(systemAuthorities: false, pems: [authority.certificatePEM]), protocols: ["http/1.1"]),
      serverName: "127.0.0.1")
    let client = HTTPClient(HTTPOrigin(host: "hostile", address: address), loop: loop, configuration: configuration)
    var length: Int?
    client.send(HTTPRequest("GET", "/")) { length = (try? $0.get())?.body.count ?? -1 }
    var incoming = try listener.accept()
    while incoming == nil {
      loop.turn(atMost: .zero)
      incoming = try listener.accept()
    }
    let server = try TLSStream(
      accepted: incoming.take()!,
      context: TLSContext.server(identity: authority.issueServer(names: ["127.0.0.1"]), protocols: ["http/1.1"]))
    var input = ByteBuffer()
    var rounds = 0
    while input.isEmpty, rounds < 1_000_000 {
      rounds += 1
      if case .complete = server.handshake() { _ = server.read(into: &input) }
      loop.turn(atMost: .zero)
    }
    // Each byte in a record of its own, of 23 bytes. Before each turn the kernel is given all that it takes.
    let records = 300_000
    var output = ByteBuffer()
    output.append("HTTP/1.1 200 OK\r\nContent-Length: \(records)\r\n\r\n")
    var written = -1
    var turns = 0
    while length == nil, turns < 1_000_000 {
      while written < records {
        guard case .complete = server.write(&output) else { break }
        written += 1
        if written < records { output.append("x") }
      }
      loop.turn(atMost: .zero)
      turns += 1
    }
    let reads = HTTPClientLimits.bytesPerTurn / 65_536 + 1
    #expect(length == records && turns >= records * 23 / (reads * 65_536), "\(turns) turns")
    client.close()
  }

  @Test func `whoever waits for an answer on the command line is told as well`() throws {
    let flood = try FloodServer(piece: Array(Self.floods[0].piece.utf8))
    let client = try HTTPClient.Blocking(HTTPOrigin(host: "hostile", address: flood.address))
    #expect(throws: HTTPClientError.malformed("too much is announced before it")) {
      try client.send(HTTPRequest("GET", "/"), timeout: .patience)
    }
    #expect(!flood.isOver)
  }

  @Test func `eight announcements pass, nine do not`() {
    let announcement = "HTTP/1.1 103 Early\r\n\r\n"
    for (count, passes) in [(HTTPClientLimits.announcements, true), (HTTPClientLimits.announcements + 1, false)] {
      var parser = ResponseParser(bodyLimit: 10)
      var input = ByteBuffer()
      input.append(String(repeating: announcement, count: count) + "HTTP/1.1 204 No\r\n\r\n")
      if case .complete = parser.parse(&input, isEnd: false) { #expect(passes) } else { #expect(!passes) }
      // The next answer begins to count anew.
      parser.reset(isHead: false)
      input.removeAll()
      input.append(announcement + "HTTP/1.1 204 No\r\n\r\n")
      guard case .complete = parser.parse(&input, isEnd: false) else { return #expect(Bool(false), "not anew") }
    }
  }
}
