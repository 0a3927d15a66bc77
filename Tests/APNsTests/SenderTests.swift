import APNs
import Domain
import HTTP2
import PushTransport
import Reactor
import TLS
import TestSupport
import Testing
import Time

@Suite struct SenderTests {
  @Test func `before all credentials are known nothing is taken, and none is called missing`() throws {
    let server = try TestServer { _ in .accept }
    defer { server.stop() }
    let harness = try Harness(port: server.port, trusting: server.authorityPEM) { $0.wire.awaitsCredentials = true }
    let batch = harness.makeBatch(harness.makeMessage(), tokens: 0..<3)
    #expect(!harness.sender.offer(batch))
    harness.sender.credentialsAreKnown(asOf: SystemClock().now)
    #expect(harness.sender.offer(batch))
    #expect(harness.wait(3) == [.accepted, .accepted, .accepted])
  }

  @Test func `each device gets one push with the right headers, and each target one result`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server)
    let results = harness.send(0..<500)
    #expect(results.tally == ["accepted": 500])
    let requests = server.requests
    #expect(Set(requests.map(\.token)) == Set((0..<500).map(Harness.token)))
    #expect(requests.count == 500 && server.connections == 1)
    let first = try #require(requests.first)
    #expect(first.fields[":method"] == "POST" && first.fields[":scheme"] == "https")
    #expect(first.fields[":authority"] == "127.0.0.1:\(server.port)")
    #expect(first.fields["authorization"] == "bearer first")
    #expect(first.fields["apns-topic"] == "com.example.app")
    #expect(first.fields["apns-push-type"] == "alert" && first.fields["apns-priority"] == "10")
    #expect(first.fields["apns-collapse-id"] == "42")
    #expect(first.fields["apns-expiration"] == "1767229200")
    #expect(first.fields["apns-id"] == DeviceID(high: 0, low: 1).submissionID(of: Seqno(42)).description)
    #expect(Set(requests.map { $0.fields["apns-id"] }).count == 500)
    let body = String(decoding: first.body, as: UTF8.self)
    #expect(body.contains(#""alert":"hello""#) && body.contains(#""seqno":"42""#))
    harness.stop()
    #expect(harness.results.takeAll().isEmpty, "nothing is reported twice")
  }

  @Test func `a background push has priority 5`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.send(0..<1, message: harness.makeMessage(background: true)) == [.accepted])
    let request = try #require(server.requests.first)
    #expect(request.fields["apns-push-type"] == "background" && request.fields["apns-priority"] == "5")
  }

  @Test func `one request at a time until APNs has accepted a token, then many`() throws {
    var settings = TestServer.Settings()
    settings.firstLimit = 1
    settings.provenLimit = 100
    let server = try TestServer(settings: settings)
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.send(0..<1000).tally == ["accepted": 1000])
    let most = try #require(server.mostOpen.first)
    #expect(most > 1 && most <= 100)
    #expect(server.connections == 1)
  }

  @Test func `our own cap holds where APNs allows more`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server, streams: 7)
    #expect(harness.send(0..<300).count == 300)
    #expect(try #require(server.mostOpen.first) <= 7)
  }

  @Test func `a limit that falls to one and rises again only slows down`() throws {
    let server = try TestServer { request in
      switch request.index {
      case 100: .limit(1, refused: "BadDeviceToken")
      case 110: .limit(1000, refused: nil)
      default: .accept
      }
    }
    defer { server.stop() }
    let harness = try Harness(server)
    let results = harness.send(0..<1000)
    #expect(results.count == 1000)
    #expect(results.count { $0 == .accepted } == 999)
    #expect(results.count { $0 == .badToken(reason: "BadDeviceToken", since: nil) } == 1)
    #expect(server.connections == 1)
  }

  @Test func `refusals become results that say what to do`() throws {
    let bodies: [(Int, String)] = [
      (410, #"{"reason":"Unregistered","timestamp":1767225600123}"#), (400, #"{"reason":"BadDeviceToken"}"#),
      (413, #"{"reason":"PayloadTooLarge"}"#), (429, #"{"reason":"TooManyRequests"}"#),
      (500, #"{"reason":"InternalServerError"}"#), (503, #"{"reason":"ServiceUnavailable"}"#),
      (400, #"{"reason":"NeverHeardOf"}"#), (502, "<html>"), (418, ""),
    ]
    let server = try TestServer { request in
      let body = bodies[Int(request.token, radix: 16)!]
      return .refuse(status: body.0, body: body.1)
    }
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(
      harness.send(0..<bodies.count) == [
        .badToken(reason: "Unregistered", since: Timestamp(milliseconds: 1_767_225_600_123)),
        .badToken(reason: "BadDeviceToken", since: nil),
        .rejected(reason: "PayloadTooLarge"), .deviceBusy(reason: "TooManyRequests", after: nil),
        .retry(reason: "InternalServerError", after: nil), .retry(reason: "ServiceUnavailable", after: nil),
        .rejected(reason: "NeverHeardOf"), .retry(reason: "status 502", after: nil), .rejected(reason: "status 418"),
      ])
  }

  @Test func `a payload too large never leaves`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server)
    let message = harness.makeMessage(text: String(repeating: "x", count: 4096))
    #expect(harness.send(0..<2, message: message).tally == [#"rejected(reason: "PayloadTooLarge")"#: 2])
    #expect(server.requests.isEmpty)
  }

  @Test func `bodies beyond the connection's window wait without loss`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server)
    let message = harness.makeMessage(text: String(repeating: "x", count: 3500))
    #expect(harness.send(0..<300, message: message).tally == ["accepted": 300])
    #expect(server.requests.allSatisfy { $0.body.count > 3500 })
    // 65,535 bytes hold 18 such bodies.
    #expect(try #require(server.mostOpen.first) <= 19)
  }

  @Test func `bindings read too long ago and messages past their expiry are not sent`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server)
    let old = harness.makeBatch(harness.makeMessage(), tokens: 0..<3)
    harness.clock.advance(by: .milliseconds(501))
    #expect(harness.sender.offer(old))
    #expect(harness.wait(3).tally == ["stale": 3])
    let late = harness.makeMessage(expiresIn: 0)
    #expect(harness.send(0..<2, message: late) == [.stale, .stale])
    #expect(server.requests.isEmpty)
  }

  @Test func `a network keeps an ad until the night begins at the device, and none is sent after that`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.send(0..<1, message: harness.makeMessage(keptFor: 60)) == [.accepted])
    let kept = String(harness.clock.wallTime.seconds + 60)
    #expect(server.requests.compactMap { $0.fields["apns-expiration"] } == [kept])
    #expect(harness.send(0..<1, message: harness.makeMessage(keptFor: 0)) == [.stale])
    #expect(server.requests.count == 1)
  }

  @Test func `an app without credential is told so`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server)
    let route = PushRoute(app: 8, network: .apns, environment: .production)
    #expect(harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: 0..<2, route: route)))
    let results = harness.wait(2)
    #expect(results.count == 2)
    #expect(results.allSatisfy { if case .noCredential = $0 { true } else { false } })
  }

  @Test func `a trust store that cannot be read is named, and is no missing credential`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(port: server.port, trusting: server.authorityPEM) {
      $0.trust.files = ["/nonexistent/authorities.pem"]
    }
    let results = harness.send(0..<2)
    #expect(results.count == 2)
    for result in results {
      guard case .credentialFault(let reason) = result else {
        Issue.record("\(result)")
        continue
      }
      #expect(reason.contains("/nonexistent/authorities.pem"), "\(reason)")
    }
    #expect(server.requests.isEmpty)
  }

  @Test func `a certificate opens APNs without a token`() throws {
    var settings = TestServer.Settings()
    settings.asksForCertificate = true
    let authority = try CertificateAuthority()
    let server = try TestServer(settings: settings, authority: authority)
    defer { server.stop() }
    let identity = try authority.issuePushClient(bundleID: "com.example.app", topics: [("com.example.app", "app")])
    let harness = try Harness(server, credential: .certificate(identity), token: false)
    #expect(harness.send(0..<10).tally == ["accepted": 10])
    let request = try #require(server.requests.first)
    #expect(request.clientCertificate?.userID == "com.example.app")
    #expect(request.fields["authorization"] == nil)
  }

  @Test func `a second connection is made when the first is full`() throws {
    let server = try TestServer { request in request.connection == 0 && request.index > 0 ? .never : .accept }
    defer { server.stop() }
    let harness = try Harness(server, connections: 2, streams: 50)
    #expect(harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: 0..<1000)))
    #expect(harness.wait(1).tally == ["accepted": 1])
    #expect(server.connections == 1)
    // It stays full for so long that those who wait would soon be stale: that is what the second one is for.
    harness.advance(by: .milliseconds(250))
    #expect(harness.wait(949).tally == ["accepted": 949])
    #expect(server.connections == 2)
    harness.stop(within: .zero)
    #expect(harness.wait(50).tally == [#"unknown(reason: "stopped")"#: 50])
  }

  @Test func `stopping finishes what is open and gives back what waits`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: 0..<5000)))
    harness.stop()
    let results = harness.wait(5000)
    #expect(results.count == 5000)
    #expect(results.allSatisfy { $0 == .accepted || $0 == .notProcessed })
    #expect(server.requests.count == results.count { $0 == .accepted })
  }

  @Test func `a connection is replaced before its stream ids run out`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server, lastStreamID: 100)
    #expect(harness.send(0..<30).tally == ["accepted": 30])
    harness.advance(by: .seconds(1))
    #expect(harness.send(30..<60).tally == ["accepted": 30])
    #expect(server.connections == 1)
    harness.advance(by: .seconds(1))
    // The next one takes over when it is ready, the old one serves until then: nobody waits, nothing is lost.
    var round = 1
    let isReplaced = harness.waits {
      round += 1
      #expect(harness.send(round * 30..<round * 30 + 30).tally == ["accepted": 30])
      return server.requests.last?.connection == 1
    }
    #expect(isReplaced)
  }

  @Test func `two environments of an app have separate connections`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server)
    let sandbox = PushRoute(app: Harness.app, network: .apns, environment: .sandbox)
    #expect(harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: 0..<5, route: sandbox)))
    #expect(harness.sender.offer(harness.makeBatch(harness.makeMessage(), tokens: 5..<10)))
    #expect(harness.wait(10).tally == ["accepted": 10])
    #expect(server.connections == 2)
    #expect(
      Set(server.requests.map { $0.fields[":authority"] }) == ["127.0.0.1:\(server.port)", "localhost:\(server.port)"])
  }
}
