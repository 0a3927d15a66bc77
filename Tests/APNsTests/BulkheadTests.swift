import Domain
import PushTransport
import Reactor
import TLS
import Testing
import Time

@testable import APNs

/// One app's trouble is its own.
@Suite struct BulkheadTests {
  private static let other = PushRoute(app: 8, network: .apns, environment: .production)
  private static let sharedKey = APNsCredential.token(
    KeyName(teamID: "TEAM123456", keyID: "KEY1234567", fingerprint: "f"))

  private func offerOther(_ harness: Harness, _ tokens: Range<Int>, seqno: Int64 = 2) -> PushBatch {
    harness.offer(harness.makeMessage(seqno: seqno, appID: "com.example.other"), tokens, route: Self.other)
  }

  @Test func `apps with the same key share connections`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server)
    harness.sender.set(Self.sharedKey, for: 8)
    let mine = harness.offer(harness.makeMessage(seqno: 1), 0..<100)
    let others = offerOther(harness, 0..<100)
    #expect(harness.wait(for: mine).tally == ["accepted": 100])
    #expect(harness.wait(for: others).tally == ["accepted": 100])
    #expect(server.connections == 1)
  }

  @Test func `an app whose topic is refused fails alone, and stays away from the others' connections`() throws {
    let server = try TestServer { request in
      request.fields["apns-topic"] == "com.example.other"
        ? .refuse(status: 400, body: #"{"reason":"BadTopic"}"#) : .accept
    }
    defer { server.stop() }
    let harness = try Harness(server)
    harness.sender.set(Self.sharedKey, for: 8)
    #expect(harness.send(0..<5).tally == ["accepted": 5])
    let refused = harness.wait(for: offerOther(harness, 0..<50))
    #expect(refused.allSatisfy { $0 == .credentialFault(reason: "BadTopic") })
    let asked = server.requests.count
    // While the fault lasts APNs is not asked again.
    #expect(harness.wait(for: offerOther(harness, 0..<50)).count == 50)
    #expect(server.requests.count == asked)
    #expect(harness.send(5..<500).tally == ["accepted": 495])
    // Later it is tried again, elsewhere.
    harness.advance(by: .seconds(PushTransport.Limits.faultSeconds + 1))
    #expect(harness.wait(for: offerOther(harness, 0..<5)).count == 5)
    let last = try #require(server.requests.last { $0.fields["apns-topic"] == "com.example.other" })
    #expect(last.connection != 0)
  }

  @Test func `an app with bad tokens only gets connections of its own before APNs slows all down`() throws {
    let server = try TestServer { request in
      request.fields["apns-topic"] == "com.example.other"
        ? .refuse(status: 400, body: #"{"reason":"BadDeviceToken"}"#) : .accept
    }
    defer { server.stop() }
    let harness = try Harness(server)
    harness.sender.set(Self.sharedKey, for: 8)
    #expect(harness.send(0..<1).tally == ["accepted": 1])
    #expect(harness.wait(for: offerOther(harness, 0..<1000)).count == 1000)
    #expect(harness.wait(for: offerOther(harness, 0..<100)).count == 100)
    #expect(server.connections == 2)
    let late = server.requests.suffix(100)
    #expect(late.allSatisfy { $0.connection == 1 })
    #expect(harness.send(1..<300).tally == ["accepted": 299])
    #expect(server.requests.suffix(299).allSatisfy { $0.connection == 0 })
  }

  @Test func `an app whose answers do not come leaves the others a part of the connections`() throws {
    var settings = TestServer.Settings()
    settings.firstLimit = 100
    let server = try TestServer(settings: settings) { request in
      request.fields["apns-topic"] == "com.example.other" && request.index > 0 ? .hold : .accept
    }
    defer { server.stop() }
    let harness = try Harness(server)
    harness.sender.set(Self.sharedKey, for: 8)
    #expect(harness.send(0..<1).tally == ["accepted": 1])
    _ = offerOther(harness, 0..<2000)
    #expect(harness.waits { server.requests.count == 76 })
    #expect(harness.send(1..<500).tally == ["accepted": 499])
    #expect(server.connections == 1)
  }

  @Test func `a campaign that has its part of the connections gets more of them`() throws {
    var settings = TestServer.Settings()
    settings.firstLimit = 100
    let server = try TestServer(settings: settings) { request in
      request.fields["apns-topic"] == "com.example.other" && request.index > 0 ? .hold : .accept
    }
    defer { server.stop() }
    let harness = try Harness(server, connections: 2)
    harness.sender.set(Self.sharedKey, for: 8)
    #expect(harness.send(0..<1).tally == ["accepted": 1])
    let campaign = offerOther(harness, 0..<140)
    #expect(harness.waits { server.requests.count == 76 })
    harness.advance(by: .milliseconds(250))
    #expect(harness.waits { server.requests.count == 141 })
    #expect(server.connections == 2)
    server.release()
    #expect(harness.wait(for: campaign).tally == ["accepted": 140])
  }

  @Test func `an app with a refused key does not hold up one with another key`() throws {
    let server = try TestServer { request in
      request.fields["authorization"] == "bearer first"
        ? .accept : .refuse(status: 403, body: #"{"reason":"InvalidProviderToken"}"#)
    }
    defer { server.stop() }
    let harness = try Harness(server)
    harness.sender.set(.token(KeyName(teamID: "TEAM123456", keyID: "KEYBAD0000", fingerprint: "f")), for: 8)
    harness.sender.set(
      ProviderToken(
        KeyName(teamID: "TEAM123456", keyID: "KEYBAD0000", fingerprint: "f"), value: "bad",
        issuedAt: harness.clock.wallTime.seconds))
    let refused = offerOther(harness, 0..<100)
    let mine = harness.offer(harness.makeMessage(seqno: 1), 0..<500)
    #expect(harness.wait(for: mine).tally == ["accepted": 500])
    let results = harness.wait(for: refused)
    #expect(results.contains(.credentialFault(reason: "InvalidProviderToken")))
    #expect(!results.contains(.accepted))
  }

  @Test func `an environment that cannot be reached does not hold up the other`() throws {
    let server = try TestServer()
    defer { server.stop() }
    // Nobody listens there, and nobody gets it who asks for any port.
    let harness = try Harness(server, sandboxPort: 9)
    let sandbox = PushRoute(app: Harness.app, network: .apns, environment: .sandbox)
    let lost = harness.offer(harness.makeMessage(seqno: 1), 0..<100, route: sandbox)
    let mine = harness.offer(harness.makeMessage(seqno: 2), 0..<500)
    #expect(harness.wait(for: mine).tally == ["accepted": 500])
    #expect(harness.wait(for: lost).tally == ["notProcessed": 100])
    #expect(!harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: 0..<1, route: sandbox)))
    #expect(harness.send(500..<600).tally == ["accepted": 100])
  }

  @Test func `a new credential forgives`() throws {
    let server = try TestServer { request in
      request.fields["authorization"] == "bearer first"
        ? .refuse(status: 400, body: #"{"reason":"BadTopic"}"#) : .accept
    }
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.send(0..<10).tally == [#"credentialFault(reason: "BadTopic")"#: 10])
    harness.sender.set(.token(KeyName(teamID: "TEAM123456", keyID: "KEYNEW0000", fingerprint: "f")), for: Harness.app)
    harness.sender.set(
      ProviderToken(
        KeyName(teamID: "TEAM123456", keyID: "KEYNEW0000", fingerprint: "f"), value: "new",
        issuedAt: harness.clock.wallTime.seconds))
    #expect(harness.send(0..<10).tally == ["accepted": 10])
  }

  @Test func `a made-up key under the names of another shares neither its token nor its connections`() throws {
    let server = try TestServer { request in
      request.fields["authorization"] == "bearer first"
        ? .accept : .refuse(status: 403, body: #"{"reason":"InvalidProviderToken"}"#)
    }
    defer { server.stop() }
    let harness = try Harness(server)
    let forged = KeyName(teamID: "TEAM123456", keyID: "KEY1234567", fingerprint: "another")
    harness.sender.set(.token(forged), for: 8)
    // It has no token yet, and is not given the other's.
    let waiting = offerOther(harness, 0..<10)
    #expect(harness.send(0..<10).tally == ["accepted": 10])
    #expect(server.requests.count == 10)
    harness.sender.set(
      ProviderToken(forged, value: "bad", issuedAt: harness.clock.wallTime.seconds))
    #expect(!harness.wait(for: waiting).contains(.accepted))
    #expect(harness.send(10..<200).tally == ["accepted": 190])
  }
}
