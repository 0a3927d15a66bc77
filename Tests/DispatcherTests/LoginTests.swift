import Postgres
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// Guests who log in while a message is being sent: they come in the order of the keys twice, and belong to it once.
@Suite struct LoginTests {
  /// A thousand guests and a thousand users; the guests have got it, the users wait.
  private func halfSent() throws -> (world: DispatcherWorld, seqno: Seqno) {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<2_001)
    try world.connection.script(
      "UPDATE devices SET user_key = 'g' || device WHERE device <= '\(DispatcherWorld.device(1_000))'")
    let seqno = try world.connection.withTransaction {
      let seqno = try world.send()
      let pace = Pace(devices: 1_000, waitSeconds: 3_600)
      try world.connection.run(#require(Gates.create(seqno, pace: pace, canary: nil, window: nil)))
      return seqno
    }
    world.dispatchers[0].poke()
    _ = try poll("the guests get nothing") { try world.funnel(seqno).funnel.accepted == 1_000 ? true : nil }
    return (world, seqno)
  }

  /// Logs a guest in, as a node does whose clock, or whose transaction, is this far behind the freezing of the
  /// audience.
  private func logIn(_ number: Int, before: String, _ seqno: Seqno, _ world: DispatcherWorld) throws {
    try world.connection.script(
      """
      UPDATE devices SET user_key = 'u00001500a', registered_at = now(), bound_at = (
        SELECT frozen_at - interval '\(before)' FROM messages WHERE seqno = \(seqno))
      WHERE device = '\(DispatcherWorld.device(number))'
      """)
  }

  private func finished(_ world: DispatcherWorld, _ seqno: Seqno) throws -> Funnel {
    try world.connection.run(Gates.setPace(seqno, nil))
    for dispatcher in world.dispatchers { dispatcher.poke() }
    return try world.finished(seqno).funnel
  }

  @Test(arguments: ["0", "3 seconds", "59 seconds"])
  func `by a clock that is behind a guest who logs in gets it once`(before: String) throws {
    let (world, seqno) = try halfSent()
    try logIn(1, before: before, seqno, world)
    let end = try finished(world, seqno)
    #expect((end.targeted, end.accepted, end.pending) == (2_000, 2_000, 0), "\(end)")
    #expect(world.network.log.count { $0.device == DispatcherWorld.device(1) } == 1)
  }

  /// A reinstalled app registers as another device, with the token that its telephone already had, in a transaction
  /// that began before the audience was frozen.
  @Test(arguments: [(1, 0), (1_400, 1)])
  func `a telephone that got the message as one device does not get it as another; other telephones do`(
    from former: Int, pushes: Int
  ) throws {
    let (world, seqno) = try halfSent()
    let next = DispatcherWorld.device(1_500)
    try world.connection.script(
      """
      UPDATE devices SET state = \(Devices.State.unregistered.rawValue)
      WHERE device = '\(DispatcherWorld.device(former))';
      INSERT INTO former_psids (app, psid, device, ended_at)
      SELECT app, psid, device, now() FROM devices WHERE device = '\(DispatcherWorld.device(former))';
      UPDATE devices d SET psid = f.psid, registered_at = now(), bound_at = (
        SELECT frozen_at - interval '3 seconds' FROM messages WHERE seqno = \(seqno))
      FROM former_psids f WHERE d.device = '\(next)'
      """)
    let end = try finished(world, seqno)
    #expect((end.targeted, end.accepted, end.pending) == (1_999, 1_999, 0), "\(end)")
    #expect(world.network.log.count { $0.device == next } == pushes)
  }

  @Test func `claimed and not answered yet, it is not claimed once more`() throws {
    let (world, seqno) = try halfSent()
    world.network.hold([DispatcherWorld.device(1_500)])
    try world.connection.script("DELETE FROM block_states; DELETE FROM blocks")
    // Claimed by another node: a node sends what it has claimed itself and not sent yet.
    let other = "00000000-0000-0000-0000-0000000000ff"
    try world.connection.script(
      """
      INSERT INTO nodes (node, alive_until) VALUES ('\(other)', now() + interval '1 hour');
      INSERT INTO claims (seqno, node, devices, user_keys)
      VALUES (\(seqno), '\(other)', '{\(DispatcherWorld.device(1))}', '{g1}')
      """)
    try logIn(1, before: "3 seconds", seqno, world)
    try world.connection.run(Gates.setPace(seqno, nil))
    _ = try poll("the rest is not claimed") { world.network.held == 1 ? true : nil }
    #expect(world.network.log.count { $0.device == DispatcherWorld.device(1) } == 1)
    world.network.answerHeld()
  }

  @Test func `should a device be claimed twice all the same, the message ends, and the sum is right`() throws {
    let (world, seqno) = try halfSent()
    try logIn(1, before: "1 hour", seqno, world)
    let end = try finished(world, seqno)
    // Two people were sent to on it, and both count.
    #expect(end.state == .completed && (end.targeted, end.accepted, end.pending) == (2_001, 2_001, 0), "\(end)")
  }

  /// Another node is claiming the guests in a slow transaction.
  @Test func `a device in a claim that is not committed yet is not claimed again`() throws {
    let world = try DispatcherWorld()
    world.stop()
    try world.makeDevices(1..<7)
    try world.connection.script(
      "UPDATE devices SET user_key = 'g' || device WHERE device <= '\(DispatcherWorld.device(3))'")
    let seqno = try world.send()
    try world.connection.script(
      """
      UPDATE messages SET state = 2, frozen_at = now(), planned = true, targeted = 6 WHERE seqno = \(seqno);
      INSERT INTO nodes (node, alive_until)
      VALUES ('00000000-0000-0000-0000-0000000000ff', now() + interval '1 hour')
      """)
    for (after, upto) in [("", "u"), ("u", "v")] {
      try world.connection.run(Shards.create(seqno, .keys(after: after, upto: upto), targeted: 3))
    }
    let other = try TestDatabase.connect(to: world.databaseURL)
    let network = try other.withTransaction { () throws -> ScriptedNetwork in
      let shard = try #require(try other.run(Shards.lock(seqno)))
      let guests = (1..<4).map { number in
        let device = DispatcherWorld.device(number)
        return Claims.Entry(device: device, userKey: UserKey(stored: "g\(device)"), attempts: 0)
      }
      _ = try other.run(Claims.create(seqno, node: UUIDValue(high: 0, low: 0xff), guests))
      try logIn(1, before: "3 seconds", seqno, world)
      let network = try world.addNode()
      _ = try poll("the users are neither held back nor sent to") {
        let waiting = try world.count(
          "pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.datname = current_database()")
        return waiting > 0 || !network.log.isEmpty ? true : nil
      }
      try other.run(
        Shards.advance(shard, to: .keys(after: "u", upto: "u"), claimed: 3, makesBlock: false, exhausted: true))
      return network
    }
    _ = try poll("the users get nothing") {
      let claims = try world.count("claims WHERE seqno = \(seqno)")
      return try world.funnel(seqno).funnel.accepted == 3 && claims == 1 ? true : nil
    }
    #expect(network.log.map(\.device.low).sorted() == [4, 5, 6])
    #expect(try world.funnel(seqno).funnel.targeted == 6)
  }
}
