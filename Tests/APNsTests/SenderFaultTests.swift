import APNs
import Domain
import HTTP2
import PushTransport
import Reactor
import TLS
import TestSupport
import Testing

/// How a sender behaves when the peer does not.
@Suite struct SenderFaultTests {
  @Test func `requests above a GOAWAY's last stream are sent again elsewhere, those below finish`() throws {
    let server = try TestServer { request in
      guard request.connection == 0 else { return .accept }
      switch request.index {
      case 0: return .accept
      case 1..<60: return .never
      // 20 streams further down: everything above was not processed.
      case 60: return .goAway(lastStreamOffset: -40, debug: #"{"reason":"Shutdown"}"#)
      default: return .accept
      }
    }
    defer { server.stop() }
    let harness = try Harness(server)
    let results = harness.send(0..<400)
    #expect(results.tally == ["accepted": 400])
    #expect(server.connections == 2)
    let perToken = Dictionary(grouping: server.requests, by: \.token)
    #expect(perToken.count == 400)
    #expect(perToken.values.allSatisfy { Set($0.map { $0.fields["apns-id"] }).count == 1 }, "the same apns-id again")
  }

  @Test func `refused streams are sent again at once, and given back when they are refused again and again`() throws {
    let server = try TestServer { request in
      switch request.token {
      case Harness.token(1): .reset(.refusedStream)
      case Harness.token(2) where request.index < 4: .reset(.refusedStream)
      default: .accept
      }
    }
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.send(0..<4) == [.accepted, .notProcessed, .accepted, .accepted])
    #expect(server.requests.count { $0.token == Harness.token(1) } == 1 + Int(PushTransport.Limits.quickResends))
  }

  @Test func `other resets leave it unknown whether the push was taken`() throws {
    let server = try TestServer { $0.token == Harness.token(1) ? .reset(.internalError) : .accept }
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.send(0..<3) == [.accepted, .unknown(reason: "stream reset: INTERNAL_ERROR"), .accepted])
  }

  @Test func `a lost connection leaves its open requests unknown and the queue goes on elsewhere`() throws {
    let server = try TestServer { request in
      guard request.connection == 0 else { return .accept }
      return request.index == 0 ? .accept : request.index < 20 ? .never : .drop
    }
    defer { server.stop() }
    let harness = try Harness(server, streams: 30)
    #expect(harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: 0..<200)))
    let first = harness.wait(31)
    // The connection was young: the queue comes back as well, and the route waits for its back-off.
    let rest = harness.wait(169)
    let results = first + rest
    #expect(results.count == 200)
    let unknown = results.count { if case .unknown = $0 { true } else { false } }
    #expect(unknown >= 20 && unknown <= 30)
    #expect(results.count { $0 == .accepted } >= 1)
    #expect(!harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: 0..<1)))
    harness.advance(by: .seconds(2))
    #expect(sendWhenOpen(harness, 200..<210).tally == ["accepted": 10])
    #expect(server.connections == 2)
  }

  /// Offers until the route takes it.
  private func sendWhenOpen(_ harness: Harness, _ tokens: Range<Int>) -> [SubmissionResult] {
    let isTaken = harness.waits { harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: tokens)) }
    return isTaken ? harness.wait(tokens.count) : []
  }

  @Test func `an unanswered request is given up after its time and its result is unknown`() throws {
    let server = try TestServer { $0.token == Harness.token(1) ? .never : .accept }
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: 0..<3)))
    #expect(harness.wait(2) == [.accepted, .accepted])
    harness.advance(by: .seconds(PushTransport.Limits.requestSeconds + 1))
    #expect(harness.wait(1) == [.unknown(reason: "no answer within \(PushTransport.Limits.requestSeconds) s")])
    #expect(harness.send(5..<6) == [.accepted], "the connection stays")
    #expect(server.connections == 1)
  }

  @Test func `a peer that answers neither requests nor PINGs is left`() throws {
    var settings = TestServer.Settings()
    settings.acknowledgesPings = false
    let server = try TestServer(settings: settings) { $0.connection == 0 && $0.index > 0 ? .never : .accept }
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: 0..<5)))
    #expect(harness.wait(1) == [.accepted])
    harness.advance(by: .seconds(PushTransport.Limits.requestSeconds + 1))
    #expect(harness.wait(4).count == 4)
    harness.advance(by: .seconds(2))
    harness.advance(by: .seconds(PushTransport.Limits.pingSeconds + 1))
    #expect(sendWhenOpen(harness, 10..<12) == [.accepted, .accepted])
    #expect(server.connections == 2)
  }

  @Test func `an expired provider token is replaced and its push sent again on a new connection`() throws {
    let server = try TestServer { request in
      request.fields["authorization"] == "bearer first"
        ? .refuse(status: 403, body: #"{"reason":"ExpiredProviderToken"}"#) : .accept
    }
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: 0..<50)))
    let request = try #require(harness.tokenRequests.receive(atMost: .patience).first)
    #expect(request.refused?.value == "first" && request.key.keyID == "KEY1234567")
    harness.sender.set(harness.makeToken("second", age: 0))
    #expect(harness.wait(50).tally == ["accepted": 50])
    #expect(server.connections == 2)
    #expect(server.requests.filter { $0.connection == 0 }.count == 1, "one probe met the refusal")
  }

  @Test func `a stream that was refused first does not turn an expired token into a fault`() throws {
    let server = try TestServer { request in
      if request.fields["authorization"] != "bearer first" { return .accept }
      return request.index < 2
        ? .reset(.refusedStream) : .refuse(status: 403, body: #"{"reason":"ExpiredProviderToken"}"#)
    }
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: 0..<1)))
    #expect(harness.tokenRequests.receive(atMost: .patience).first?.refused?.value == "first")
    harness.sender.set(harness.makeToken("second", age: 0))
    #expect(harness.wait(1) == [.accepted])
  }

  @Test func `a fresh token called expired means a wrong clock`() throws {
    let server = try TestServer { _ in .refuse(status: 403, body: #"{"reason":"ExpiredProviderToken"}"#) }
    defer { server.stop() }
    let harness = try Harness(server, token: false)
    harness.sender.set(harness.makeToken("first", age: 60))
    let results = harness.send(0..<5)
    #expect(results.count == 5)
    #expect(results.allSatisfy { if case .credentialFault(let reason) = $0 { !reason.isEmpty } else { false } })
    guard case .credentialFault(let reason) = results[0] else { return }
    #expect(reason.contains("clock"))
  }

  @Test func `an invalid token is tried once on a new connection, then the app must pause`() throws {
    let server = try TestServer { _ in .refuse(status: 403, body: #"{"reason":"InvalidProviderToken"}"#) }
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: 0..<20)))
    harness.advance(by: .seconds(2))
    var results = harness.wait(20)
    // The queue may have come back when the young connection was closed; the rest must be the fault.
    results.removeAll { $0 == .notProcessed || $0 == .stale }
    #expect(results.allSatisfy { $0 == .credentialFault(reason: "InvalidProviderToken") })
    #expect(server.requests.count <= 2)
  }

  @Test func `after too many token updates another connection goes on with the former token`() throws {
    let server = try TestServer { request in
      request.fields["authorization"] == "bearer second"
        ? .refuse(status: 429, body: #"{"reason":"TooManyProviderTokenUpdates"}"#) : .accept
    }
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.send(0..<1) == [.accepted])
    harness.sender.set(harness.makeToken("second", age: 0))
    #expect(harness.send(1..<2) == [.accepted])
    #expect(server.requests.map { $0.fields["authorization"] } == ["bearer first", "bearer second", "bearer first"])
    #expect(harness.tokenRequests.takeAll().isEmpty, "nothing is minted")
  }

  @Test func `told so on another connection too, all of them rest`() throws {
    let server = try TestServer { request in
      request.connection == 1 || request.connection == 0 && request.index == 1
        ? .refuse(status: 429, body: #"{"reason":"TooManyProviderTokenUpdates"}"#) : .accept
    }
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.send(0..<1) == [.accepted])
    #expect(harness.send(1..<2) == [.retry(reason: "TooManyProviderTokenUpdates", after: nil)])
    #expect(!harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: 2..<3)), "the route rests")
    harness.advance(by: .seconds(APNs.Limits.tokenThrottleSeconds + 1))
    #expect(sendWhenOpen(harness, 3..<4) == [.accepted])
    #expect(server.requests.last?.fields["authorization"] == "bearer first")
    #expect(harness.tokenRequests.takeAll().isEmpty, "nothing is minted")
  }

  @Test func `a credential that Apple refuses gives back the whole queue`() throws {
    let server = try TestServer {
      $0.index == 0 ? .refuse(status: 400, body: #"{"reason":"BadTopic"}"#) : .accept
    }
    defer { server.stop() }
    let harness = try Harness(server)
    let results = harness.send(0..<100)
    #expect(results.tally == [#"credentialFault(reason: "BadTopic")"#: 100])
    #expect(server.requests.count == 1)
  }

  @Test func `a GOAWAY for a bad certificate is a fault of the credential`() throws {
    let server = try TestServer { _ in
      .goAway(lastStreamOffset: -1000, debug: #"{"reason":"BadCertificate"}"#)
    }
    defer { server.stop() }
    let harness = try Harness(server)
    let results = harness.send(0..<50)
    #expect(results.count == 50)
    #expect(results.count { $0 == .credentialFault(reason: "BadCertificate") } >= 49)
  }

  @Test(arguments: ["BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken"])
  func `a key of the other environment gives back the whole queue, to be asked about there`(_ reason: String) throws {
    let server = try TestServer {
      $0.index == 0 ? .refuse(status: 403, body: #"{"reason":"\#(reason)"}"#) : .accept
    }
    defer { server.stop() }
    let harness = try Harness(server)
    let results = harness.send(0..<100)
    #expect(results.tally == [#"wrongEnvironment(reason: "\#(reason)")"#: 100])
    #expect(server.requests.count == 1)
  }

  @Test func `a key that was good a moment ago is refused for one push alone`() throws {
    let server = try TestServer {
      $0.index == 10 ? .refuse(status: 403, body: #"{"reason":"BadEnvironmentKeyIdInToken"}"#) : .accept
    }
    defer { server.stop() }
    let harness = try Harness(server)
    let results = harness.send(0..<500)
    #expect(results.tally == ["accepted": 499, #"wrongEnvironment(reason: "BadEnvironmentKeyIdInToken")"#: 1])
  }

  @Test func `a GOAWAY for a certificate of the other environment says so`() throws {
    let server = try TestServer { _ in
      .goAway(lastStreamOffset: -1000, debug: #"{"reason":"BadCertificateEnvironment"}"#)
    }
    defer { server.stop() }
    let harness = try Harness(server)
    let results = harness.send(0..<50)
    #expect(results.count { $0 == .wrongEnvironment(reason: "BadCertificateEnvironment") } >= 49)
  }

  @Test func `without a token nothing leaves until one comes`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server, token: false)
    #expect(harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: 0..<10)))
    let request = try #require(harness.tokenRequests.receive(atMost: .patience).first)
    #expect(
      request
        == ProviderTokenRequest(KeyName(teamID: "TEAM123456", keyID: "KEY1234567", fingerprint: "f"), refused: nil))
    #expect(server.requests.isEmpty)
    harness.sender.set(harness.makeToken("late", age: 0))
    #expect(harness.wait(10).tally == ["accepted": 10])
  }

  @Test func `a token near its end is renewed while sending goes on`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server, token: false)
    harness.sender.set(harness.makeToken("old", age: 3100))
    #expect(harness.send(0..<10).tally == ["accepted": 10])
    #expect(harness.tokenRequests.receive(atMost: .patience).first?.refused == nil)
    harness.sender.set(harness.makeToken("new", age: 0))
    #expect(harness.send(10..<20).tally == ["accepted": 10])
    #expect(server.requests.last?.fields["authorization"] == "bearer new")
    #expect(server.connections == 1)
  }

  @Test func `where nobody listens the queue comes back and offers are refused until the next try`() throws {
    // Nobody listens there, and nobody gets it who asks for any port.
    let harness = try Harness(port: 9, trusting: CertificateAuthority().certificatePEM)
    #expect(harness.send(0..<10).tally == ["notProcessed": 10])
    #expect(!harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: 0..<1)))
    harness.advance(by: .seconds(2))
    #expect(sendWhenOpen(harness, 0..<3).tally == ["notProcessed": 3])
  }

  @Test func `a server that shows a foreign certificate gets nothing`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(port: server.port, trusting: CertificateAuthority().certificatePEM)
    #expect(harness.send(0..<10).tally == ["notProcessed": 10])
    #expect(server.requests.isEmpty)
  }

  @Test func `a route holds only so much`() throws {
    let server = try TestServer { _ in .never }
    defer { server.stop() }
    let harness = try Harness(server)
    let message = harness.makeMessage()
    var taken = 0
    while harness.sender.offer(harness.makeBatch(message, tokens: 0..<2000)), taken < 100_000 { taken += 2000 }
    #expect(taken == PushTransport.Limits.queuedTargets)
    let other = PushRoute(app: 8, network: .apns, environment: .production)
    #expect(harness.sender.offer(harness.makeBatch(message, tokens: 0..<10, route: other)), "others are not affected")
    harness.stop(within: .zero)
    #expect(harness.wait(taken + 10).count == taken + 10)
  }
}
