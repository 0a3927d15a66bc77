import Domain
import Testing

@testable import APNs

/// An urgent push waits for no campaign (and a normal one for no bulk one): rpush users report two hours.
@Suite struct LaneTests {
  private static let other = PushRoute(app: 8, network: .apns, environment: .production)

  /// Holds every answer to a bulk push of more than the first.
  private func makeServer(limit: UInt32 = 160) throws -> TestServer {
    var settings = TestServer.Settings()
    settings.firstLimit = limit
    return try TestServer(settings: settings) { request in
      request.fields["apns-collapse-id"] == "1" && request.index > 0 ? .hold : .accept
    }
  }

  @Test func `an urgent push behind a campaign that fills the connection leaves and is answered at once`() throws {
    let server = try makeServer()
    defer { server.stop() }
    let harness = try Harness(server)
    let campaign = harness.offer(harness.makeMessage(seqno: 1, lane: .bulk), 0..<2000)
    #expect(harness.waits { server.requests.count == 141 }, "a full connection: all but the reserve")
    let normal = harness.offer(harness.makeMessage(seqno: 2, lane: .normal), 3000..<3005)
    #expect(harness.wait(for: normal).tally == ["accepted": 5])
    for code in 0..<20 {
      let urgent = harness.offer(harness.makeMessage(seqno: 100 + Int64(code), lane: .urgent), 4000..<4001)
      #expect(harness.wait(for: urgent) == [.accepted])
    }
    #expect(server.connections == 1)
    #expect(try #require(server.mostOpen.first) <= 150, "bulk had 140, normal no more than 150")
    harness.stop(within: .zero)
    #expect(harness.wait(for: campaign).count == 2000)
  }

  @Test func `an app's urgent push waits for no campaign of another app with the same key`() throws {
    let server = try makeServer()
    defer { server.stop() }
    let harness = try Harness(server)
    harness.sender.set(.token(KeyName(teamID: "TEAM123456", keyID: "KEY1234567", fingerprint: "f")), for: 8)
    harness.offer(harness.makeMessage(seqno: 1, lane: .bulk), 0..<2000)
    #expect(harness.waits { server.requests.count == 141 })
    let urgent = harness.offer(
      harness.makeMessage(seqno: 2, lane: .urgent, appID: "com.example.other"), 0..<3, route: Self.other)
    #expect(harness.wait(for: urgent).tally == ["accepted": 3])
    #expect(server.connections == 1, "they share the connection")
  }

  @Test func `bodies that fill the window leave room for an urgent one`() throws {
    let server = try TestServer { request in
      request.fields["apns-collapse-id"] == "1" && request.index > 0 ? .hold : .accept
    }
    defer { server.stop() }
    let harness = try Harness(server)
    harness.offer(harness.makeMessage(seqno: 1, text: String(repeating: "x", count: 3500), lane: .bulk), 0..<500)
    #expect(harness.waits { server.requests.count > 1 })
    let urgent = harness.offer(
      harness.makeMessage(seqno: 2, text: String(repeating: "y", count: 3500), lane: .urgent), 600..<601)
    #expect(harness.wait(for: urgent) == [.accepted])
  }

  @Test func `a full bulk lane refuses bulk and takes urgent ones`() throws {
    let server = try makeServer()
    defer { server.stop() }
    let harness = try Harness(server)
    let bulk = harness.makeMessage(seqno: 1, lane: .bulk)
    while harness.sender.offer(harness.makeBatch(bulk, tokens: 0..<1000)) {}
    let urgent = harness.offer(harness.makeMessage(seqno: 2, lane: .urgent), 0..<10)
    #expect(harness.wait(for: urgent).tally == ["accepted": 10])
  }

  @Test func `what waits leaves by lane, the urgent ones first`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server, token: false)
    harness.offer(harness.makeMessage(seqno: 1, lane: .bulk), 0..<3)
    harness.offer(harness.makeMessage(seqno: 2, lane: .normal), 0..<3)
    harness.offer(harness.makeMessage(seqno: 3, lane: .urgent), 0..<3)
    harness.advance(by: .milliseconds(10))
    harness.sender.set(harness.makeToken("first"))
    #expect(harness.wait(9).tally == ["accepted": 9])
    #expect(server.requests.map { $0.fields["apns-collapse-id"] } == ["3", "3", "3", "2", "2", "2", "1", "1", "1"])
  }

  @Test func `a small campaign offered behind a huge one of its lane is sent beside it`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server, token: false)
    let huge = harness.makeMessage(seqno: 1, lane: .bulk)
    for _ in 0..<5 { harness.offer(huge, 0..<2000) }
    harness.offer(harness.makeMessage(seqno: 2, lane: .bulk), 0..<100)
    harness.advance(by: .milliseconds(10))
    harness.sender.set(harness.makeToken("first"))
    #expect(harness.wait(10_100).tally == ["accepted": 10_100])
    let last = try #require(server.requests.lastIndex { $0.fields["apns-collapse-id"] == "2" })
    #expect(last < 300, "a hundred of it among the first 300")
  }
}
