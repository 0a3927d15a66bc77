import Postgres
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// What a canary or a pace holds back is not forgotten behind it.
@Suite struct HeldBackTests {
  /// Sends with a gate, in one transaction as the API does.
  private func send(
    _ world: DispatcherWorld, pace: Pace? = nil, canary: Canary? = nil, expiresIn: Int64 = 86_400
  ) throws -> Seqno {
    let seqno = try world.connection.withTransaction {
      let seqno = try world.send(expiresIn: expiresIn)
      if let gate = Gates.create(seqno, pace: pace, canary: canary, window: nil) { try world.connection.run(gate) }
      return seqno
    }
    for dispatcher in world.dispatchers { dispatcher.poke() }
    return seqno
  }

  private static let canary = Canary(size: .devices(1), waitSeconds: 1, maxRejectedPercent: 10)

  /// Devices with a low number come first, and there is no provider for them.
  private func worldWithUnreachable(reachable: Int) throws -> DispatcherWorld {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<1_101, network: .fcm)
    try world.makeDevices(2_000..<2_000 + reachable)
    return world
  }

  @Test func `a canary of devices that can get nothing is replaced, and the message comes to an end`() throws {
    let world = try worldWithUnreachable(reachable: 5)
    let end = try world.finished(try send(world, canary: Self.canary)).funnel
    #expect((end.targeted, end.accepted, end.skipped) == (1_105, 5, 1_100), "\(end)")
  }

  @Test func `a canary that takes another's place still stops the rest`() throws {
    let world = try worldWithUnreachable(reachable: 1_500)
    world.network.answer { _, _, _ in .rejected(reason: "PayloadTooLarge") }
    let seqno = try send(world, canary: Self.canary)
    _ = try poll("the canary does not stop it") {
      try world.funnel(seqno).funnel.state == .paused ? true : nil
    }
    let stopped = try world.funnel(seqno).funnel
    #expect(stopped.rejected > 0 && stopped.pending.map { $0 > 0 } == true, "\(stopped)")
  }

  @Test func `what a canary holds back at the message's end expires`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<101)
    let canary = Canary(size: .devices(1), waitSeconds: 86_400, maxRejectedPercent: 10)
    let end = try world.finished(try send(world, canary: canary, expiresIn: 2)).funnel
    #expect((end.targeted, end.accepted, end.expired) == (100, 1, 99), "\(end)")
  }

  @Test func `what a pace holds back at the message's end expires at once`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<101)
    let end = try world.finished(try send(world, pace: Pace(devices: 1, waitSeconds: 3_600), expiresIn: 2)).funnel
    #expect((end.targeted, end.accepted, end.expired) == (100, 1, 99), "\(end)")
  }
}
