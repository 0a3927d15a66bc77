import HTTP2
import Reactor
import TLS
import TestSupport
import Testing

@testable import Simulator

@Suite struct `On the wire` {
  private static let token = String(repeating: "ab", count: 32)

  private func running(
    _ configure: (inout Simulator.Configuration) -> Void = { _ in },
    _ body: (Simulator, Simulator.Started) throws -> Void
  ) throws {
    var configuration = Simulator.Configuration()
    configuration.controlListen = nil
    configuration.serviceAccountKeyPEM = ServiceAccountKey.pem
    configure(&configuration)
    let simulator = Simulator(configuration)
    let started = try simulator.start()
    defer { simulator.stop() }
    try body(simulator, started)
  }

  // MARK: Faithful by default

  @Test func `SETTINGS are those seen from the real service`() throws {
    try running { _, started in
      let client = try WireClient(started).connected()
      let expected: [Setting] = [
        .headerTableSize(4096), .initialWindowSize(65_535), .maxFrameSize(16_384), .maxHeaderListSize(8000),
        .maxConcurrentStreams(1),
      ]
      #expect(Set(client.settings) == Set(expected))
    }
  }

  @Test func `an accepted push is answered with headers only, and the id given is echoed in lower case`() throws {
    try running { simulator, started in
      let client = try WireClient(started).connected()
      let end = try client.push(Self.token, ["apns-id": "123E4567-E89B-12D3-A456-4266554400A0"])
      #expect(end.status == 200)
      #expect(end.body.isEmpty)
      #expect(end.fields.map(\.name) == ["apns-id"])
      #expect(end.value(of: "apns-id") == "123e4567-e89b-12d3-a456-4266554400a0")
      let other = try client.push(Self.token)
      let made = try #require(other.value(of: "apns-id"))
      #expect(MessageID(Array(made.utf8).span) != nil)
      let delivered = simulator.deliveries(to: Self.token).map(\.id.description)
      #expect(delivered == ["123e4567-e89b-12d3-a456-4266554400a0", made])
    }
  }

  @Test func `the sandbox adds apns-unique-id and knows other tokens`() throws {
    try running { simulator, started in
      simulator.register(token: Self.token, environment: .sandbox)
      let sandbox = try WireClient(started, sandbox: true).connected()
      let end = try sandbox.push(Self.token)
      #expect(end.status == 200)
      #expect(end.value(of: "apns-unique-id") != nil)
      let production = try WireClient(started).connected()
      #expect(try production.push(Self.token).text == #"{"reason":"BadDeviceToken"}"#)
    }
  }

  @Test func `a refusal carries its reason as JSON, a 410 with its time`() throws {
    try running { simulator, started in
      simulator.register(token: Self.token, state: .unregistered(since: 1_700_000_000_123))
      let client = try WireClient(started).connected()
      let end = try client.push(Self.token)
      #expect(end.status == 410)
      #expect(end.text == #"{"reason":"Unregistered","timestamp":1700000000123}"#)
      #expect(end.value(of: "content-type") == "application/json")
      #expect(end.value(of: "apns-id") != nil)
      #expect(simulator.counters().rejected == ["Unregistered": 1])
    }
  }

  @Test func `one stream until the first valid push, a thousand after it, one again after an error`() throws {
    try running { _, started in
      let client = try WireClient(started).connected()
      #expect(client.limits == [1])
      _ = try client.push(Self.token, ["authorization": "bearer x"])
      #expect(client.session.peerStreamLimit == 1)
      _ = try client.push(Self.token)
      try client.wait { client.session.peerStreamLimit == 1000 }
      _ = try client.push(Self.token, ["apns-priority": "7"])
      try client.wait { client.session.peerStreamLimit == 1 }
      _ = try client.push(Self.token)
      try client.wait { client.session.peerStreamLimit == 1000 }
    }
  }

  @Test func `the limit stays when told so`() throws {
    try running({ $0.conduct.dropsLimit = false }) { _, started in
      let client = try WireClient(started).connected()
      _ = try client.push(Self.token)
      try client.wait { client.session.peerStreamLimit == 1000 }
      #expect(try client.push(Self.token, ["apns-priority": "7"]).status == 400)
      #expect(try client.push(Self.token).status == 200)
      #expect(client.limits == [1, 1000])
    }
  }

  @Test func `too many errors end in GOAWAY with the reason, and dead tokens do not count`() throws {
    try running({ $0.conduct.errorPoints = 20 }) { simulator, started in
      simulator.register(token: "dead", state: .unregistered(since: 1))
      let client = try WireClient(started).connected()
      for _ in 1...30 { #expect(try client.push("dead").status == 410) }
      #expect(client.goAways.isEmpty)
      #expect(try client.push("xx").status == 400)
      #expect(try client.push("xx").status == 400)
      try client.wait { client.isClosed }
      #expect(client.goAways.map(\.debugData) == [Array(#"{"reason":"BadDeviceToken"}"#.utf8)])
      #expect(client.goAways.map(\.lastStreamID) == [63])
    }
  }

  @Test func `a thousand pushes at once are all delivered, once each`() throws {
    try running { simulator, started in
      let client = try WireClient(started).connected()
      _ = try client.push(Self.token)
      try client.wait { client.session.capacity == 1000 }
      client.isHolding = true
      for number in 0..<1000 { try client.submit(String(format(number)), tag: UInt64(number)) }
      client.isHolding = false
      client.flush()
      try client.wait { client.ends.count == 1001 }
      #expect(client.ends.allSatisfy { $0.status == 200 })
      let counters = simulator.counters()
      #expect(counters.accepted == 1001)
      #expect(counters.reachedTokens == 1001)
      #expect(counters.duplicates == 0)
      #expect(counters.connectionsOpened == 1)
      #expect(counters.priorityFrames == 0)
      #expect(counters.streamsRefused == 0)
      #expect(counters.providerTokens.map(\.connections) == [1])
      #expect(counters.serverNames == ["localhost": 1])
    }
  }

  private func format(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }

  @Test func `h2load pushes thousands over several connections and breaks no limit`() throws {
    try running { simulator, started in
      let jwt = try WireClient.providerToken(started.providerKey)
      let output = try Shell.withFile(#"{"aps":{"alert":"hi"}}"#) { body in
        Shell.run(
          "h2load -n 6000 -c 3 -m 100 -d \(body) -H 'authorization: bearer \(jwt)' -H 'apns-topic: com.example.app' "
            + "https://\(started.endpoints.apns)/3/device/\(Self.token)")
      }
      let counters = simulator.counters()
      // It may open a hundred streams before it has seen that one is the limit: those are refused.
      #expect(counters.accepted + counters.streamsRefused == 6000, "\(output)")
      #expect(counters.streamsRefused <= 3 * 99)
      #expect(output.contains("\(counters.accepted) 2xx, 0 3xx, 0 4xx, 0 5xx"))
      #expect(simulator.deliveries(to: Self.token).count == counters.accepted)
      #expect(counters.connectionsOpened == 3)
      #expect(counters.limitViolations == 0)
    }
  }

  @Test func `a client without ALPN is served`() throws {
    try running { simulator, started in
      let client = try WireClient(started.endpoints.apns, authority: started.authorityPEM, protocols: []).connected()
      #expect(try client.push(Self.token).text == #"{"reason":"MissingProviderToken"}"#)
      #expect(simulator.counters().connectionsWithoutALPN == 1)
    }
  }

  @Test func `a client certificate stands for the provider token, from the first stream on`() throws {
    try running { simulator, started in
      let authority = try CertificateAuthority()
      let identity = try authority.issuePushClient(
        bundleID: "com.example.app", topics: [("com.example.app", "app"), ("com.example.app.voip", "voip")])
      let client = try WireClient(started, identity: identity).connected()
      #expect(client.session.peerStreamLimit == 1000)
      #expect(try client.push(Self.token, ["authorization": ""]).status == 200)
      #expect(try client.push(Self.token, ["apns-topic": "com.other"]).text == #"{"reason":"TopicDisallowed"}"#)
      #expect(simulator.counters().connectionsWithCertificate == 1)
    }
  }

  @Test func `a certificate that has ended is answered with GOAWAY`() throws {
    try running { _, started in
      let authority = try CertificateAuthority()
      let identity = try authority.issuePushClient(
        bundleID: "com.example.app", topics: [("com.example.app", "app")], notBefore: 1_600_000_000,
        notAfter: 1_600_000_001)
      let client = try WireClient(started, identity: identity)
      try client.wait { client.isClosed }
      #expect(client.goAways.map(\.debugData) == [Array(#"{"reason":"BadCertificate"}"#.utf8)])
      #expect(client.goAways.map(\.lastStreamID) == [0])
    }
  }

  @Test func `an idle connection is told so`() throws {
    try running({ $0.idle = .milliseconds(60) }) { _, started in
      let client = try WireClient(started).connected()
      try client.wait { client.isClosed }
      #expect(client.goAways.map(\.debugData) == [Array(#"{"reason":"IdleTimeout"}"#.utf8)])
    }
  }

  @Test func `a latency delays every answer and keeps their order`() throws {
    try running({ $0.latency = .milliseconds(80) }) { _, started in
      let client = try WireClient(started).connected()
      let clock = SystemClock()
      let before = clock.now
      _ = try client.push(Self.token)
      #expect(clock.now - before >= .milliseconds(80))
      try client.wait { client.session.capacity == 1000 }
      let ids = try (0..<5).map { _ in try client.submit(Self.token) }
      try client.wait { client.ends.count == 6 }
      #expect(client.ends.dropFirst().map(\.streamID) == ids)
    }
  }

  @Test func `too many pushes to one token in a second are refused`() throws {
    try running({
      $0.pushesPerTokenSecond = 3
      $0.conduct.dropsLimit = false
    }) { _, started in
      let client = try WireClient(started).connected()
      _ = try client.push(Self.token)
      try client.wait { client.session.capacity == 1000 }
      // Eight that arrive together, within at most two seconds of the clock: at least two are too many.
      client.isHolding = true
      for _ in 0..<8 { try client.submit(Self.token) }
      client.isHolding = false
      client.flush()
      try client.wait { client.ends.count == 9 }
      #expect(Set(client.ends.map(\.status)) == [200, 429])
    }
  }

  @Test func `stopping says GOAWAY and ends the threads`() throws {
    let simulator = Simulator()
    let started = try simulator.start()
    let client = try WireClient(started).connected()
    simulator.stop()
    try client.wait { client.isClosed }
    #expect(client.goAways.map(\.debugData) == [Array(#"{"reason":"Shutdown"}"#.utf8)])
    simulator.stop()
  }

  @Test func `an address that is taken is a failure to start`() throws {
    try running { _, started in
      var configuration = Simulator.Configuration()
      configuration.listen = started.endpoints.apns
      #expect(throws: Simulator.StartFailure.self) { _ = try Simulator(configuration).start() }
    }
  }
}
