import Domain
import Operations
import Postgres
import Store
import TestSupport
import Testing

@testable import Dispatcher

/// A message that was set aside keeps claims that nobody takes over before it is resumed: no erasure waits for these.
@Suite struct SetAsideErasureTests {
  private static let node = "00000000-0000-0000-0000-000000000077"

  /// A message to devices 1 and 2 that was set aside, and whose claim a node has held until `minutes` from now.
  private func aside(_ world: DispatcherWorld, minutes: Int) throws -> Seqno {
    try world.makeDevices(1..<3)
    return try world.connection.withTransaction { () throws -> Seqno in
      let seqno = try world.send()
      try world.connection.script(
        """
        UPDATE messages SET state = \(MessageState.paused.rawValue), state_reason = 'Set aside: x.', planned = true,
          frozen_at = now(), targeted = 2 WHERE seqno = \(seqno);
        INSERT INTO nodes (node, alive_until) VALUES ('\(Self.node)', now() + interval '\(minutes) minutes');
        INSERT INTO claims (seqno, node, devices, user_keys) VALUES (\(seqno), '\(Self.node)',
          '{\(DispatcherWorld.device(1)),\(DispatcherWorld.device(2))}', '{u00000001,u00000002}')
        """)
      return seqno
    }
  }

  private func erase(_ world: DispatcherWorld) throws {
    _ = try PersonRights.erase("00000001", of: DispatcherWorld.appID, by: .commandLine, on: world.connection)
  }

  @Test func `who is erased meanwhile is sent nothing when it is resumed, and named nowhere`() throws {
    let world = try DispatcherWorld()
    try world.hear([.deliveriesFailed])
    let seqno = try aside(world, minutes: -5)
    try erase(world)
    try world.walkErasures()
    _ = try Erasures.takeOutRests(on: world.connection)
    #expect(try world.count("erasure_rests WHERE seqno = \(seqno)") == 1)
    #expect(try world.count("claims WHERE seqno = \(seqno)") == 1)

    try world.connection.run(Controls.setState(seqno, .sending, reason: nil))
    for dispatcher in world.dispatchers { dispatcher.poke() }
    let end = try world.finished(seqno).funnel
    #expect((end.accepted, end.skipped) == (1, 1), "\(end)")
    #expect(world.network.log.map(\.device) == [DispatcherWorld.device(2)])
    // Before the name is taken out.
    try world.connection.withTransaction {
      while let report = try world.connection.run(FailureReports.take()) {
        try FailureReports.tell(report, on: world.connection)
      }
    }
    let failed = "events WHERE event_kind = 'deliveries.failed' AND data->'recipients'->0->>'clientUid'"
    #expect(try world.count("\(failed) IS NOT NULL") == 0)
    #expect(try world.count("\(failed) IS NULL") == 1)
    _ = try poll("the name stays") {
      try world.connection.script("UPDATE erasure_rests SET looked_at = looked_at - interval '2 minutes'")
      _ = try Erasures.takeOutRests(on: world.connection)
      return try world.count("erasure_rests") == 0 ? true : nil
    }
    #expect(try world.count("outcomes WHERE user_key = 'u00000001'") == 0)
    #expect(try world.count("outcomes WHERE seqno = \(seqno) AND user_key = 'g' || device") == 1)
  }

  /// The erased person registers again on the same device, just after the audience of `seqno` was frozen.
  private func returnToDevice(_ world: DispatcherWorld, after seqno: Seqno) throws {
    try world.connection.script(
      """
      UPDATE devices SET user_key = 'u00000001', state = 1, psid = lpad('99', 64, '0'), device_id = 'd1',
        bound_at = (SELECT frozen_at + interval '1 millisecond' FROM messages WHERE seqno = \(seqno))
      WHERE device = '\(DispatcherWorld.device(1))'
      """)
  }

  @Test(arguments: [false, true])
  func `a person who registers again on the same device does not get what was sent to the erased one`(
    isWalked: Bool
  ) throws {
    let world = try DispatcherWorld()
    let seqno = try aside(world, minutes: -5)
    try erase(world)
    if isWalked { try world.walkErasures() }
    try returnToDevice(world, after: seqno)

    try world.connection.run(Controls.setState(seqno, .sending, reason: nil))
    for dispatcher in world.dispatchers { dispatcher.poke() }
    let end = try world.finished(seqno)
    #expect((end.funnel.accepted, end.funnel.skipped) == (1, 1), "\(end)")
    #expect(end.reasons.contains("gone"), "\(end.reasons)")
    #expect(world.network.log.map(\.device) == [DispatcherWorld.device(2)])
  }

  @Test func `a person who registers again gets what is sent from then on, at a second try too`() throws {
    let world = try DispatcherWorld { _, _, attempt in
      attempt == 1 ? .retry(reason: "ServiceUnavailable", after: 1) : .accepted
    }
    // A node may still work at its claim, so the erasure is kept.
    let seqno = try aside(world, minutes: 60)
    try erase(world)
    try returnToDevice(world, after: seqno)
    let next = try world.send()
    #expect(try world.finished(next).funnel.accepted == 2)
    #expect(try world.count("erasures") == 1)
  }

  @Test func `its claims are waited for while somebody may work at them`() throws {
    let world = try DispatcherWorld()
    world.stop()
    _ = try aside(world, minutes: 60)
    try erase(world)
    func step() throws -> Bool {
      try world.connection.transaction(attempts: 1) { () throws(PostgresError) in
        try Erasures.step(deliveries: 1_000, on: world.connection)
      }
    }
    _ = try poll("it is not known which claims may name the person") {
      _ = try step()
      return try world.count("erasures WHERE upto_claim IS NOT NULL") == 1 ? true : nil
    }
    #expect(try !step())
    #expect(try world.count("erasures WHERE lap IS NULL") == 1)
    try world.connection.script(
      "UPDATE nodes SET alive_until = now() - interval '2 minutes' WHERE node = '\(Self.node)'")
    try world.walkErasures()
    #expect(try world.count("erasure_rests") == 1)
  }

  @Test func `the node that has left them is known to have left nothing, and they are taken over`() throws {
    let world = try DispatcherWorld()
    let seqno = try aside(world, minutes: -5)
    _ = try poll("the node is never done with") {
      try world.count("nodes WHERE node = '\(Self.node)' AND left_nothing_at IS NOT NULL") == 1 ? true : nil
    }
    #expect(try world.count("claims WHERE seqno = \(seqno)") == 1)
    try world.connection.run(Controls.setState(seqno, .sending, reason: nil))
    #expect(try world.finished(seqno).funnel.accepted == 2)
  }
}
