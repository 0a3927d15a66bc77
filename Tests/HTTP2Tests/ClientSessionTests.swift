import HTTP2
import Reactor
import Testing

@Suite struct ClientSessionTests {
  @Test func `a request arrives with its fields and body and its answer comes back`() throws {
    let pair = try Pair()
    var seen: [HeaderField] = []
    pair.onRequest = { stream in
      seen = (0..<stream.fieldCount).map { stream.field(at: $0) }
      #expect(stream.withBody { body in body.count == 3 && body[2] == 3 })
      pair.server.respond(to: stream, status: 200, fields: [HeaderField("apns-id", "id-1")])
    }
    try pair.submit(tag: 77)
    try pair.exchange()
    #expect(seen.map(\.name).prefix(4) == [":method", ":scheme", ":authority", ":path"])
    #expect(seen.first { $0.name == ":path" }?.value == "/3/device/abcd")
    #expect(seen.first { $0.name == "apns-id" }?.value == "id-1")
    let ends = pair.takeEnds()
    #expect(ends.count == 1)
    #expect(ends[0].tag == 77 && ends[0].status == 200 && ends[0].errorCode == .noError)
    #expect(ends[0].fields.isEmpty, "fields of ordinary answers are not kept")
    #expect(pair.client.openStreams == 0 && pair.server.openStreams == 0)
  }

  @Test func `an answer with an error keeps its fields and its body`() throws {
    let pair = try Pair()
    pair.onRequest = { stream in
      pair.server.respond(
        to: stream, status: 410, fields: [HeaderField("apns-id", "id-1"), HeaderField("x", "y")],
        body: Array(#"{"reason":"Unregistered","timestamp":1}"#.utf8), chunkBytes: 5)
    }
    try pair.submit()
    try pair.exchange()
    let end = try #require(pair.takeEnds().first)
    #expect(end.status == 410)
    #expect(end.value(of: "apns-id") == "id-1" && end.value(of: "x") == "y")
    #expect(String(decoding: end.body, as: UTF8.self) == #"{"reason":"Unregistered","timestamp":1}"#)
  }

  @Test func `informational answers do not hide the real one`() throws {
    let pair = try Pair()
    pair.onRequest = { stream in
      pair.server.inform(stream, status: 103, fields: [HeaderField("link", "x")])
      pair.server.respond(to: stream, status: 503, body: [65])
    }
    try pair.submit()
    try pair.exchange()
    let end = try #require(pair.takeEnds().first)
    #expect(end.status == 503 && end.value(of: "link") == nil && end.body == [65])
  }

  @Test func `before the peer's settings only one request may leave`() throws {
    let pair = try Pair(announce: false)
    #expect(pair.client.capacity == 1)
    try pair.submit()
    #expect(pair.client.capacity == 0)
    #expect(throws: HTTP2Error.self) { try pair.submit() }
    try pair.server.submitSettings(pair.settings)
    try pair.exchange()
    #expect(pair.client.peerStreamLimit == 1000)
    #expect(pair.client.capacity == 999)
  }

  @Test func `the peer's limit moves up and down while requests run`() throws {
    let pair = try Pair(limit: 50)
    for tag in 0..<50 { try pair.submit(tag: UInt64(tag)) }
    try pair.exchange()
    #expect(pair.opened == 50 && pair.client.capacity == 0)
    try pair.server.submitSettings([.maxConcurrentStreams(1)])
    try pair.exchange()
    #expect(pair.client.peerStreamLimit == 1)
    #expect(pair.takeEnds().isEmpty, "lowering the limit ends nothing that runs")
    for stream in pair.requests.dropLast() { pair.server.respond(to: stream, status: 200) }
    try pair.exchange()
    #expect(pair.takeEnds().count == 49)
    #expect(pair.client.capacity == 0)
    pair.server.respond(to: pair.requests.last!, status: 200)
    try pair.exchange()
    #expect(pair.client.capacity == 1)
    try pair.server.submitSettings([.maxConcurrentStreams(200)])
    try pair.exchange()
    #expect(pair.client.capacity == 200)
  }

  @Test func `settings without a stream limit mean no limit`() throws {
    let pair = try Pair(announce: false)
    try pair.server.submitSettings([.maxFrameSize(16_384)])
    try pair.exchange()
    #expect(pair.client.capacity > 1_000_000)
  }

  @Test func `a refused stream without an answer was not processed`() throws {
    let pair = try Pair()
    pair.onRequest = { pair.server.reset($0, .refusedStream) }
    try pair.submit()
    try pair.exchange()
    let end = try #require(pair.takeEnds().first)
    #expect(end.isNotProcessed && end.errorCode == .refusedStream && end.status == 0)
  }

  @Test func `other resets leave it open whether the request was processed`() throws {
    let pair = try Pair()
    pair.onRequest = { pair.server.reset($0, .internalError) }
    try pair.submit()
    try pair.exchange()
    let end = try #require(pair.takeEnds().first)
    #expect(!end.isNotProcessed && end.errorCode == .internalError)
  }

  @Test func `a refusal after answer headers is not a refusal`() throws {
    let pair = try Pair()
    try pair.submit()
    try pair.exchange()
    let stream = try #require(pair.requests.first)
    pair.server.respond(to: stream, status: 500, body: [1], ends: false)
    try pair.exchange()
    pair.server.reset(stream, .refusedStream)
    try pair.exchange()
    let end = try #require(pair.takeEnds().first)
    #expect(end.status == 500 && !end.isNotProcessed)
  }

  @Test func `a second reset of the same stream changes nothing`() throws {
    let pair = try Pair()
    var refused: Int32 = 0
    pair.onRequest = { stream in
      refused = stream.id
      pair.server.reset(stream, .refusedStream)
    }
    try pair.submit()
    try pair.exchange()
    // A RST_STREAM frame of code 5 (STREAM_CLOSED) for the stream that is closed already, as APNs sends it.
    try pair.server.inject([0, 0, 4, 3, 0, 0, 0, 0, UInt8(refused), 0, 0, 0, 5])
    try pair.exchange()
    #expect(pair.takeEnds().count == 1)
    pair.onRequest = { pair.server.respond(to: $0, status: 200) }
    try pair.submit()
    try pair.exchange()
    #expect(pair.takeEnds().first?.status == 200, "the session stays usable")
  }

  @Test func `a request that is given up ends with our code`() throws {
    let pair = try Pair()
    let id = try pair.submit(tag: 5)
    try pair.exchange()
    pair.client.reset(id, .cancel)
    try pair.exchange()
    let end = try #require(pair.takeEnds().first)
    #expect(end.tag == 5 && end.errorCode == .cancel && end.status == 0)
    #expect(pair.serverClosed.map(\.code) == [.cancel])
    #expect(pair.client.openStreams == 0)
  }

  @Test func `a request given up before it left ends too`() throws {
    let pair = try Pair()
    let id = try pair.submit(tag: 6)
    pair.client.reset(id, .cancel)
    try pair.exchange()
    #expect(pair.takeEnds().map(\.tag) == [6])
    #expect(pair.client.openStreams == 0 && pair.server.openStreams == 0)
  }

  @Test func `a ping is answered`() throws {
    let pair = try Pair()
    pair.client.ping(0x0102_0304_0506_0708)
    try pair.exchange()
    let pongs = pair.clientEvents.compactMap { event in if case .pong(let payload) = event { payload } else { nil } }
    #expect(pongs == [0x0102_0304_0506_0708])
  }

  @Test func `stream ids run out visibly`() throws {
    let pair = try Pair()
    pair.onRequest = { pair.server.respond(to: $0, status: 200) }
    pair.client.skip(toStreamID: HTTP2.Limits.highestStreamID)
    #expect(pair.client.acceptsRequests)
    let id = try pair.submit()
    #expect(id == HTTP2.Limits.highestStreamID)
    try pair.exchange()
    #expect(pair.takeEnds().first?.status == 200)
    #expect(!pair.client.acceptsRequests && pair.client.capacity == 0)
    #expect(throws: HTTP2Error.self) { try pair.submit() }
  }

  @Test func `garbage from the peer is an error or an end, never a trap`() throws {
    let client = try ClientSession()
    var bytes = ByteBuffer()
    bytes.append("HTTP/1.1 400 Bad Request\r\n\r\n")
    do {
      try client.receive(&bytes)
      client.writeOutput(into: &bytes)
      #expect(client.isFinished)
    } catch {
      #expect(error.operation == "receive")
    }
  }

  @Test func `a session that ends by itself takes no more requests`() throws {
    let pair = try Pair()
    pair.onRequest = { pair.server.respond(to: $0, status: 200) }
    pair.client.goAway()
    #expect(pair.client.capacity == 0)
    try pair.exchange()
    #expect(pair.client.isFinished)
  }
}
