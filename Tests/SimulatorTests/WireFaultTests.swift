import HTTP2
import Reactor
import TLS
import TestSupport
import Testing

@testable import Simulator

@Suite struct `Faults on the wire` {
  private static let token = String(repeating: "ab", count: 32)

  /// A simulator with one fault, and a client that has pushed once before (so that it may open a thousand streams).
  private func suffering(
    _ kind: Fault.Kind, _ change: (inout Fault) -> Void = { _ in }, warm: Bool = true,
    _ body: (Simulator, WireClient) throws -> Void
  ) throws {
    var configuration = Simulator.Configuration()
    configuration.controlListen = nil
    configuration.serviceAccountKeyPEM = ServiceAccountKey.pem
    let simulator = Simulator(configuration)
    let started = try simulator.start()
    defer { simulator.stop() }
    var fault = Fault(kind)
    change(&fault)
    if try fault.effect().isOfConnection { try simulator.add(fault) }
    let client = try WireClient(started)
    if warm {
      _ = try client.connected().push("0000")
      try client.wait { client.session.capacity == 1000 }
    }
    if try !fault.effect().isOfConnection { try simulator.add(fault) }
    try body(simulator, client)
  }

  // MARK: Answers

  @Test(arguments: Reason.allCases)
  func `every reason can be had`(reason: Reason) throws {
    try suffering(.answer, { $0.reason = reason.rawValue }) { simulator, client in
      let end = try client.push(Self.token)
      #expect(end.status == reason.status)
      #expect(end.text.hasPrefix(#"{"reason":"\#(reason.rawValue)""#))
      #expect(end.text.contains("timestamp") == (reason.status == 410))
      #expect(simulator.counters().rejected[reason.rawValue] == 1)
      #expect(simulator.deliveries(to: Self.token).isEmpty)
    }
  }

  @Test func `an unknown reason and a Retry-After can be had`() throws {
    let change: (inout Fault) -> Void = {
      $0.reason = "SomethingNew"
      $0.status = 429
      $0.retryAfterSeconds = 7
    }
    try suffering(.answer, change) { _, client in
      let end = try client.push(Self.token)
      #expect(end.status == 429)
      #expect(end.text == #"{"reason":"SomethingNew"}"#)
      #expect(end.value(of: "retry-after") == "7")
    }
  }

  @Test func `a slow answer comes late and the next one before it`() throws {
    try suffering(.slow, { ($0.milliseconds, $0.times) = (150, 1) }) { _, client in
      // Together, so that the second is there before the first is due.
      client.isHolding = true
      let slow = try client.submit(Self.token)
      let quick = try client.submit(Self.token)
      client.isHolding = false
      client.flush()
      try client.wait { client.ends.count == 3 }
      #expect(client.ends.dropFirst().map(\.streamID) == [quick, slow])
      #expect(client.ends.allSatisfy { $0.status == 200 })
    }
  }

  @Test func `an answer that never comes leaves the stream open and the push delivered`() throws {
    try suffering(.silence, { $0.times = 1 }) { simulator, client in
      try client.submit(Self.token)
      _ = try client.push(Self.token)
      #expect(client.session.openStreams == 1)
      #expect(simulator.deliveries(to: Self.token).count == 2)
      #expect(simulator.counters().faults == ["silence": 1])
    }
  }

  @Test func `answers come out of order`() throws {
    try suffering(.reorder, { ($0.count, $0.times) = (4, 4) }) { _, client in
      let ids = try (0..<4).map { _ in try client.submit(Self.token) }
      try client.wait { client.ends.count == 5 }
      #expect(client.ends.dropFirst().map(\.streamID) == ids.reversed())
    }
  }

  @Test(arguments: Effect.Shape.allCases)
  func `answers of every odd shape can be had`(shape: Effect.Shape) throws {
    try suffering(.shape, { $0.form = shape.rawValue }) { simulator, client in
      let end = try client.push(Self.token)
      let isDelivered = simulator.deliveries(to: Self.token).count == 1
      #expect(isDelivered == (end.status == 200))
      switch shape {
      case .split: #expect(end.text == #"{"reason":"TooManyRequests"}"#)
      case .interim: #expect(end.status == 200)
      case .text: #expect(end.text.hasPrefix("<h1>"))
      case .empty: #expect((end.status, end.body) == (500, []))
      case .withoutID: #expect((end.status, end.fields) == (200, []))
      case .extraHeaders: #expect(end.value(of: "x-apns-trace") != nil && end.value(of: "apns-id") != nil)
      }
    }
  }

  // MARK: Streams

  @Test func `a refused stream was not processed`() throws {
    try suffering(.reset, { $0.times = 1 }) { simulator, client in
      let end = try client.push(Self.token)
      #expect(end.isNotProcessed)
      #expect(simulator.deliveries(to: Self.token).isEmpty)
      let again = try client.push(Self.token)
      #expect(again.status == 200)
    }
  }

  @Test func `of a cancelled stream nobody knows, so its push is delivered`() throws {
    try suffering(.reset, { ($0.code, $0.times) = (8, 1) }) { simulator, client in
      let end = try client.push(Self.token)
      #expect((end.status, end.errorCode) == (0, .cancel))
      #expect(simulator.deliveries(to: Self.token).count == 1)
    }
  }

  @Test func `a second RST_STREAM for the same stream does no harm`() throws {
    try suffering(.reset, { ($0.twice, $0.times) = (true, 1) }) { _, client in
      let reset = try client.push(Self.token)
      #expect(reset.isNotProcessed)
      let end = try client.push(Self.token)
      #expect(end.status == 200)
    }
  }

  @Test func `the limit collapses to one stream and comes back`() throws {
    try suffering(.collapse, { ($0.milliseconds, $0.times) = (60, 1) }) { simulator, client in
      _ = try client.push(Self.token)
      // It may have come back before anybody looks.
      try client.wait { client.limits.count == 4 }
      #expect(client.limits == [1, 1000, 1, 1000] && client.session.peerStreamLimit == 1000)
      #expect(simulator.counters().limitViolations == 0)
    }
  }

  // MARK: GOAWAY

  @Test func `an honest GOAWAY answers what it names and closes`() throws {
    let change: (inout Fault) -> Void = { ($0.every, $0.times, $0.debugData) = (2, 1, "bye") }
    try suffering(.goAway, change) { simulator, client in
      client.isHolding = true
      for _ in 0..<4 { try client.submit(Self.token) }
      client.isHolding = false
      client.flush()
      try client.wait { client.isClosed }
      #expect(client.failure == nil)
      #expect(client.goAways == [GoAway(lastStreamID: 9, errorCode: .noError, debugData: Array("bye".utf8))])
      #expect(client.ends.map(\.status) == [200, 200, 200, 200, 200])
      #expect(simulator.deliveries(to: Self.token).count == 4)
    }
  }

  @Test func `a GOAWAY in the middle leaves what comes after it unprocessed`() throws {
    let change: (inout Fault) -> Void = { ($0.every, $0.times, $0.lastStream) = (3, 1, "before") }
    try suffering(.goAway, change) { simulator, client in
      client.isHolding = true
      for _ in 0..<5 { try client.submit(Self.token) }
      client.isHolding = false
      client.flush()
      try client.wait { client.isClosed }
      // Streams 1 (warm), 3 and 5 are answered, 7, 9 and 11 are not.
      #expect(client.goAways.map(\.lastStreamID) == [5])
      #expect(client.ends.filter { $0.status == 200 }.map(\.streamID) == [1, 3, 5])
      #expect(Set(client.ends.filter(\.isNotProcessed).map(\.streamID)) == [7, 9, 11])
      #expect(simulator.deliveries(to: Self.token).count == 2)
    }
  }

  @Test func `a GOAWAY of stream 0 and code 11 processes nothing`() throws {
    try suffering(.goAway, { ($0.lastStream, $0.code) = ("none", 11) }) { simulator, client in
      let reset = try client.push(Self.token)
      #expect(reset.isNotProcessed)
      #expect(client.goAways.map(\.errorCode) == [.enhanceYourCalm])
      try client.wait { client.isClosed }
      #expect(simulator.deliveries(to: Self.token).isEmpty)
    }
  }

  @Test func `a silent GOAWAY loses the answers of what was processed`() throws {
    try suffering(.goAway, { ($0.ending, $0.times) = ("silent", 1) }) { simulator, client in
      try client.submit(Self.token)
      try client.wait { client.isClosed }
      #expect(client.goAways.map(\.lastStreamID) == [3])
      #expect(client.ends.filter { $0.status == 200 }.map(\.streamID) == [1])
      #expect(!client.ends.contains { $0.streamID == 3 && $0.isNotProcessed })
      #expect(simulator.deliveries(to: Self.token).count == 1)
    }
  }

  @Test(arguments: ["none", "before"])
  func `no GOAWAY denies a push that was delivered`(lastStream: String) throws {
    try suffering(.silence, { $0.times = 1 }) { simulator, client in
      try client.submit(Self.token)
      try client.wait { simulator.deliveries(to: Self.token).count == 1 }
      var fault = Fault(.goAway)
      fault.lastStream = lastStream
      try simulator.add(fault)
      try client.submit(Self.token)
      try client.wait { client.isClosed }
      #expect(client.goAways.map(\.lastStreamID) == [3])
      #expect(client.ends.filter(\.isNotProcessed).map(\.streamID) == [5])
      #expect(simulator.deliveries(to: Self.token).count == 1)
    }
  }

  @Test func `two GOAWAYs in a row can be had`() throws {
    try suffering(.goAway, { ($0.twice, $0.times) = (true, 1) }) { _, client in
      _ = try client.push(Self.token)
      try client.wait { client.isClosed }
      #expect(client.goAways.map(\.lastStreamID) == [.max, 3])
    }
  }

  @Test func `the answer to a violation is GOAWAY 7 with words`() throws {
    try suffering(.violation) { _, client in
      let reset = try client.push(Self.token)
      #expect(reset.isNotProcessed)
      #expect(client.goAways.map(\.errorCode) == [.refusedStream])
      #expect(client.goAways.map(\.debugData) == [AnswerBody.violation])
    }
  }

  // MARK: Connections

  @Test func `a connection can be reset, ended without close_notify, or left half open`() throws {
    for form in Effect.Cut.allCases {
      try suffering(.cut, { $0.form = form.rawValue }) { simulator, client in
        try client.submit(Self.token)
        if form == .halfOpen {
          // It stays, and says nothing more: not even to a PING.
          client.session.ping(1)
          client.flush()
          try client.wait { simulator.deliveries(to: Self.token).count == 1 }
          #expect(simulator.counters().connectionsOpen == 1)
        } else {
          try client.wait { client.isClosed }
          #expect(client.failure != nil)
        }
        #expect(client.goAways.isEmpty)
        #expect(simulator.deliveries(to: Self.token).count == 1)
      }
    }
  }

  @Test func `bodies stop at the window when no WINDOW_UPDATE comes`() throws {
    try suffering(.withholdWindow, { $0.milliseconds = 3_600_000 }) { simulator, client in
      try submitLong(30, client)
      // The window of 65,535 bytes takes fifteen whole ones; a PING shows that the connection lives on.
      try client.wait { client.ends.count > 15 }
      client.session.ping(7)
      client.flush()
      try client.wait { client.pongs == [7] }
      #expect((16...17).contains(client.ends.count))
    }
  }

  @Test func `bodies go on when the window is given back`() throws {
    try suffering(.withholdWindow, { $0.milliseconds = 100 }) { simulator, client in
      try submitLong(100, client)
      try client.wait { client.ends.count == 101 }
      #expect(simulator.deliveries(to: Self.token).count == 100)
    }
  }

  private func submitLong(_ count: Int, _ client: WireClient) throws {
    let body = #"{"aps":{"alert":""# + String(repeating: "x", count: 4000) + #""}}"#
    for _ in 0..<count { try client.submit(Self.token, body: body) }
  }

  @Test func `SETTINGS can come late, with unknown entries, and never acknowledge the client's`() throws {
    try suffering(.delaySettings, { $0.milliseconds = 50 }) { _, client in
      let end = try client.push(Self.token)
      #expect(end.status == 200)
    }
    try suffering(.unknownSettings) { _, client in
      #expect(client.settings.contains(Setting(identifier: 0x0F00, value: 1)))
      let end = try client.push(Self.token)
      #expect(end.status == 200)
    }
    try suffering(.ignoreSettings) { _, client in
      let end = try client.push(Self.token)
      #expect(end.status == 200)
    }
  }

  @Test(arguments: [
    Fault.Kind.refuse, .breakHandshake, .wrongHost, .expiredCertificate,
  ])
  func `a connection can fail before it begins`(kind: Fault.Kind) throws {
    try suffering(kind, { $0.times = 1 }, warm: false) { simulator, client in
      try client.wait { client.isClosed }
      #expect(client.failure != nil)
      #expect(simulator.counters().requests == 0)
      #expect(simulator.counters().connectionsOpened == 1)
    }
  }

  @Test func `a handshake can be late`() throws {
    try suffering(.delayHandshake, { $0.milliseconds = 50 }) { _, client in
      let end = try client.push(Self.token)
      #expect(end.status == 200)
    }
  }

  @Test func `a token can carry its own fault`() throws {
    try suffering(.slow, { $0.tokenPrefix = "ffff" }) { simulator, client in
      #expect(try client.push("fa17fa174100").status == 410)
      let reset = try client.push("fa17fa17e200")
      #expect(reset.isNotProcessed)
      #expect(simulator.counters().faults == ["Unregistered": 1, "reset": 1])
    }
  }
}
