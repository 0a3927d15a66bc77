import HTTP2
import Reactor
import TestSupport
import Testing

@testable import Simulator

/// What befalls all connections at once, and who watches.
@Suite struct Outages {
  private static let token = String(repeating: "ab", count: 32)

  private func running(_ body: (Simulator, Simulator.Started) throws -> Void) throws {
    var configuration = Simulator.Configuration()
    configuration.controlListen = nil
    configuration.serviceAccountKeyPEM = ServiceAccountKey.pem
    let simulator = Simulator(configuration)
    let started = try simulator.start()
    defer { simulator.stop() }
    try body(simulator, started)
  }

  @Test(arguments: [Effect.Cut.reset, .fin])
  func `all connections can be cut at once, and new ones are taken`(way: Effect.Cut) throws {
    try running { simulator, started in
      let clients = try (0..<3).map { _ in try WireClient(started).connected() }
      for client in clients { _ = try client.push(Self.token) }
      simulator.cutConnections(way)
      for client in clients { try client.wait { client.isClosed } }
      _ = try poll("they are still counted") { simulator.counters().connectionsOpen == 0 ? true : nil }
      #expect(try WireClient(started).connected().push(Self.token).status == 200)
    }
  }

  @Test func `while it is away the kernel refuses connections, then it is back at its port and knows what it had`()
    throws
  {
    try running { simulator, started in
      let client = try WireClient(started).connected()
      _ = try client.push(Self.token)
      simulator.goAway(for: .seconds(3_600))
      try client.wait { client.isClosed }
      let address = try HostPort(started.endpoints.apns).resolve()
      #expect(try Self.connectError(address) != 0)
      // Bring it back now.
      simulator.goAway(for: .zero)
      _ = try poll("it is not back") { try Self.connectError(address) == 0 ? true : nil }
      #expect(try WireClient(started).connected().push(Self.token).status == 200)
      #expect(simulator.deliveries(to: Self.token).count == 2)
    }
  }

  /// 0 when somebody listens there.
  private static func connectError(_ address: SocketAddress) throws -> Int32 {
    let socket = try Socket.connect(to: address)
    let poller = try Poller()
    try poller.add(socket.descriptor, interest: .writable, token: 1)
    poller.wait(atMost: .patience) { _, _ in }
    return socket.connectError
  }

  @Test func `a watcher gets every accepted push with its ids and payload`() throws {
    try running { simulator, started in
      let inbox = try Inbox<AcceptedPush>(capacity: 2)
      simulator.watch(inbox)
      let client = try WireClient(started).connected()
      _ = try client.push(Self.token)
      let pushes = inbox.receive(atMost: .patience)
      #expect(pushes.map(\.token.description) == [Self.token])
      #expect(pushes.map(\.id) == simulator.deliveries(to: Self.token).map(\.id))
      #expect(!pushes[0].payload.isEmpty)
      // What does not fit is counted.
      for _ in 0..<4 { _ = try client.push(Self.token) }
      #expect(simulator.counters().pushesMissed == 2)
      simulator.watch(nil)
      _ = try client.push(Self.token)
      #expect(inbox.takeAll().count == 2)
    }
  }
}
