import HTTP2
import Reactor
import Testing

@Suite struct ServerSessionTests {
  @Test func `duplicate fields and never-indexed marks are visible`() throws {
    let pair = try Pair()
    try pair.client.submit(
      fields: [
        HeaderField(":method", "POST"), HeaderField(":scheme", "https"), HeaderField(":path", "/x"),
        HeaderField("host", "localhost"), HeaderField("apns-id", "a"), HeaderField("apns-id", "b"),
        HeaderField("authorization", "bearer t", isNeverIndexed: true),
      ], tag: 1)
    try pair.exchange()
    let stream = try #require(pair.requests.first)
    #expect(stream.count(of: "apns-id") == 2 && stream.count(of: "apns-topic") == 0)
    #expect(stream.value(of: "apns-id") == "a" && stream.value(of: ":path") == "/x")
    #expect(stream.isNeverIndexed("authorization") && !stream.isNeverIndexed("host"))
    #expect(stream.withValue(of: "host") { $0.count } == 9)
    #expect(stream.bodyCount == 0)
  }

  @Test func `the hot path answers with one field`() throws {
    let pair = try Pair()
    pair.onRequest = { stream in
      let id: [UInt8] = Array("0123".utf8)
      pair.server.respond(to: stream, status: 400, name: "apns-id", value: id.span)
    }
    try pair.submit()
    try pair.exchange()
    let end = try #require(pair.takeEnds().first)
    #expect(end.status == 400 && end.fields == [HeaderField("apns-id", "0123")])
  }

  @Test func `nothing leaves before the first settings`() throws {
    let pair = try Pair(announce: false)
    try pair.submit()
    var bytes = ByteBuffer()
    pair.client.writeOutput(into: &bytes)
    try pair.server.receive(&bytes)
    #expect(!pair.server.wantsWrite)
    try pair.server.writeOutput(into: &bytes)
    let isSilent = bytes.isEmpty
    #expect(isSilent)
    try pair.server.submitSettings(pair.settings)
    try pair.server.writeOutput(into: &bytes)
    let type = bytes[3]
    #expect(type == 4)
  }

  @Test func `settings can stay unacknowledged`() throws {
    var configuration = ServerSession.Configuration()
    configuration.acknowledgesSettings = false
    let pair = try Pair(server: configuration, announce: false)
    var bytes = ByteBuffer()
    pair.client.writeOutput(into: &bytes)
    try pair.server.receive(&bytes)
    try pair.server.submitSettings(pair.settings)
    try pair.server.writeOutput(into: &bytes)
    var acknowledgements = 0
    var offset = 0
    while offset + 9 <= bytes.count {
      if bytes[offset + 3] == 4, bytes[offset + 4] & 1 == 1 { acknowledgements += 1 }
      offset += 9 + Int(bytes[offset]) << 16 + Int(bytes[offset + 1]) << 8 + Int(bytes[offset + 2])
    }
    let count = bytes.count
    #expect(offset == count && acknowledgements == 0)
  }

  @Test func `pings can stay unanswered`() throws {
    var configuration = ServerSession.Configuration()
    configuration.acknowledgesPings = false
    let pair = try Pair(server: configuration)
    pair.client.ping(1)
    try pair.exchange()
    #expect(!pair.clientEvents.contains { event in if case .pong = event { true } else { false } })
  }

  @Test func `a client that resets too fast is shut out, unless the limit is raised`() throws {
    for (burst, survives) in [(UInt64(10), false), (UInt64(10_000), true)] {
      var configuration = ServerSession.Configuration()
      configuration.resetRateLimit = (burst, 1)
      let pair = try Pair(server: configuration)
      for _ in 0..<50 where pair.client.capacity > 0 {
        let id = try pair.submit()
        try pair.exchange()
        pair.client.reset(id, .cancel)
        try pair.exchange()
      }
      #expect(pair.client.acceptsRequests == survives)
      #expect(pair.goAways.isEmpty == survives)
    }
  }

  @Test func `streams are reused without remembering`() throws {
    let pair = try Pair()
    var identities: Set<ObjectIdentifier> = []
    pair.onRequest = { stream in
      #expect(stream.context == nil && stream.fieldCount == 8 && stream.bodyCount == 3)
      stream.context = pair
      identities.insert(ObjectIdentifier(stream))
      pair.server.respond(to: stream, status: 200)
    }
    for _ in 0..<20 {
      try pair.submit()
      try pair.exchange()
    }
    #expect(pair.takeEnds().count == 20)
    #expect(identities.count == 1)
    #expect(pair.server.lastStreamID == 39)
  }

  @Test func `a body beyond the limit is counted but not kept`() throws {
    var configuration = ServerSession.Configuration()
    configuration.storedBodyBytes = 100
    let pair = try Pair(server: configuration)
    try pair.submit(body: [UInt8](repeating: 1, count: 5000))
    try pair.exchange()
    let stream = try #require(pair.requests.first)
    #expect(stream.bodyCount == 5000 && stream.withBody { $0.count } == 100)
  }

  @Test func `priority frames are counted`() throws {
    let pair = try Pair()
    var bytes = ByteBuffer()
    // PRIORITY for stream 1: depends on 0, weight 16.
    bytes.append([0, 0, 5, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 15])
    try pair.server.receive(&bytes)
    #expect(pair.server.priorityFrames == 1)
    try pair.submit()
    try pair.exchange()
    #expect(pair.server.priorityFrames == 1, "our client sends none")
  }

  @Test func `garbage is answered with an end, never a trap`() throws {
    let server = try ServerSession()
    try server.submitSettings([])
    var bytes = ByteBuffer()
    bytes.append("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(throws: HTTP2Error.self) { try server.receive(&bytes) }
  }
}
