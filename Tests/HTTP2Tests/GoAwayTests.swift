import HTTP2
import Testing

@Suite struct GoAwayTests {
  @Test func `streams above the last stream id were not processed, those below finish`() throws {
    let pair = try Pair()
    for tag in 0..<5 { try pair.submit(tag: UInt64(tag)) }  // ids 1, 3, 5, 7, 9
    try pair.exchange()
    let debug = Array(#"{"reason":"Shutdown"}"#.utf8)
    try pair.server.goAway(lastStreamID: 5, .noError, debugData: debug)
    try pair.exchange()
    #expect(pair.goAways == [GoAway(lastStreamID: 5, errorCode: .noError, debugData: debug)])
    let refused = pair.takeEnds()
    #expect(refused.map(\.tag).sorted() == [3, 4])
    #expect(refused.allSatisfy { $0.isNotProcessed })
    #expect(!pair.client.acceptsRequests && pair.client.capacity == 0)
    #expect(throws: HTTP2Error.self) { try pair.submit() }
    for stream in pair.requests where stream.id <= 5 { pair.server.respond(to: stream, status: 200) }
    try pair.exchange()
    let finished = pair.takeEnds()
    #expect(finished.map(\.tag).sorted() == [0, 1, 2])
    #expect(finished.allSatisfy { $0.status == 200 })
    #expect(pair.client.isFinished)
  }

  @Test func `requests that had not left when GOAWAY came are not processed`() throws {
    let pair = try Pair()
    try pair.server.goAway(lastStreamID: 0, .noError, debugData: Array(#"{"reason":"BadCertificate"}"#.utf8))
    for tag in 0..<3 { try pair.submit(tag: UInt64(tag)) }
    try pair.exchange()
    let ends = pair.takeEnds()
    #expect(ends.count == 3)
    #expect(ends.allSatisfy { $0.isNotProcessed })
  }

  @Test func `two GOAWAYs in a row narrow what was processed`() throws {
    let pair = try Pair()
    for tag in 0..<3 { try pair.submit(tag: UInt64(tag)) }
    try pair.exchange()
    pair.server.announceShutdown()
    try pair.exchange()
    #expect(pair.goAways.map(\.lastStreamID) == [HTTP2.Limits.highestStreamID])
    #expect(pair.takeEnds().isEmpty)
    #expect(!pair.client.acceptsRequests)
    try pair.server.goAway(lastStreamID: 3, .enhanceYourCalm, debugData: Array("too many".utf8))
    try pair.exchange()
    #expect(pair.goAways.count == 2 && pair.goAways[1].errorCode == .enhanceYourCalm)
    #expect(pair.takeEnds().map(\.tag) == [2])
    for stream in pair.requests where !stream.isClosed { pair.server.respond(to: stream, status: 200) }
    try pair.exchange()
    #expect(pair.takeEnds().count == 2)
  }

  @Test func `exceeding an advertised limit is seen by the owner, who says GOAWAY in its own words`() throws {
    var configuration = ServerSession.Configuration()
    configuration.enforcesStreamLimit = false
    let pair = try Pair(limit: 3, server: configuration)
    #expect(pair.client.peerStreamLimit == 3)
    for _ in 0..<3 { try pair.submit() }
    try pair.exchange()
    #expect(pair.server.openStreams == 3 && pair.opened == 3)
    // The limit falls without the client having seen it.
    try pair.server.submitSettings([.maxConcurrentStreams(1)])
    let text = Array("Maximum active streams violated for this endpoint.".utf8)
    try pair.server.goAway(lastStreamID: pair.server.lastStreamID, .refusedStream, debugData: text)
    try pair.exchange()
    #expect(pair.client.peerStreamLimit == 1)
    #expect(pair.goAways.first?.debugData == text && pair.goAways.first?.errorCode == .refusedStream)
    let acknowledged = pair.serverEvents.count { event in if case .settingsAcknowledged = event { true } else { false }
    }
    #expect(acknowledged == 2)
  }
}
