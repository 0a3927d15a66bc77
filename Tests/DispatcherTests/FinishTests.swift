import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// A message is closed while, at the same moment, a flood's refusals are given back.
@Suite struct FinishTests {
  private let now = SystemClock().wallTime

  /// A message of which everything is decided, refused, and that nobody has closed yet.
  private func decided(_ world: DispatcherWorld) throws -> Seqno {
    try world.makeDevices(1..<2)
    try world.connection.run(AppPauses.pause(world.app, reason: "The test wants to be alone."))
    world.network.answer { _, _, _ in .rejected(reason: "PayloadTooLarge") }
    try world.connection.script(
      """
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, frozen_at,
        planned)
      VALUES (500, \(world.app), 3, 1, '{"appId":"\(DispatcherWorld.appID)","audience":{"all":true},"alert":{"body":"x"}}',
        '', 1, now(), now() + interval '1 day', now(), true);
      INSERT INTO outcomes (seqno, device, at, status, attempts, user_key, reason)
      VALUES (500, '\(DispatcherWorld.device(1))', now(), 2, 1, 'u00000001', 'BadDeviceToken');
      """)
    return 500
  }

  private func restore(_ seqno: Seqno, _ connection: Connection) throws -> RejectionReversal {
    try RejectionReversal(
      [Confirmations.Delivery(seqno: seqno, device: DispatcherWorld.device(1))], now: now, connection)
  }

  private func count(_ world: DispatcherWorld, _ seqno: Seqno) throws {
    var increase = Outcomes.Increase()
    increase.count(.rejected, reason: "BadDeviceToken")
    for query in Outcomes.add([seqno: increase], writer: 7) { try world.connection.run(query) }
  }

  @Test func `a message is not over whose refusals are being given back`() throws {
    let world = try DispatcherWorld()
    let seqno = try decided(world)
    try count(world, seqno)
    let done = try Inbox<String>(capacity: 1)
    let url = world.databaseURL
    let now = now
    try world.connection.withTransaction {
      try restore(seqno, world.connection).run(world.connection, writer: 8)
      _ = try Thread(name: "finisher") {
        do {
          try Messages.finish([seqno], at: now, on: try TestDatabase.connect(to: url))
          _ = done.offer("")
        } catch { _ = done.offer("\(error)") }
      }
      // Either it waits for the lock, or it is through already: wrongly.
      let watcher = try TestDatabase.connect(to: url)
      _ = try poll("the finisher neither waits nor ends") {
        let waiting = try watcher.waitingSessions()
        let isOver = world.isFinal(try watcher.run(Messages.find(seqno)))
        return waiting > 0 || isOver ? true : nil
      }
    }
    #expect(done.receive(atMost: .patience) == [""])
    let funnel = try world.funnel(seqno).funnel
    #expect(funnel.pending == 1 && !funnel.state.isFinal, "\(funnel)")
  }

  @Test func `a message that was closed before its refusals were given back is open again`() throws {
    let world = try DispatcherWorld()
    let seqno = try decided(world)
    let url = world.databaseURL
    try count(world, seqno)
    try world.connection.withTransaction {
      let back = try restore(seqno, world.connection)
      // Closed in between: what was given back cannot be seen from there.
      try Messages.finish([seqno], at: now, on: try TestDatabase.connect(to: url))
      try back.run(world.connection, writer: 8)
    }
    let funnel = try world.funnel(seqno).funnel
    #expect(funnel.pending == 1 && !funnel.state.isFinal, "\(funnel)")
  }

  @Test func `a cancellation ends although a device was claimed twice`() throws {
    let world = try DispatcherWorld()
    let seqno = try decided(world)
    try count(world, seqno)
    try world.connection.script("UPDATE messages SET targeted = 2 WHERE seqno = \(seqno)")
    try world.connection.run(Controls.beginCancelling(seqno))
    let end = try world.finished(seqno).funnel
    #expect(end.state == .cancelled && (end.targeted, end.rejected, end.cancelled) == (1, 1, 0), "\(end)")
  }

  @Test func `what is given back of a message that was cancelled meanwhile is cancelled`() throws {
    let world = try DispatcherWorld()
    let seqno = try decided(world)
    let url = world.databaseURL
    try count(world, seqno)
    try world.connection.withTransaction {
      let back = try restore(seqno, world.connection)
      let operatorsConnection = try TestDatabase.connect(to: url)
      try operatorsConnection.run(Controls.beginCancelling(seqno))
      try Messages.finish([seqno], at: now, on: operatorsConnection)
      try back.run(world.connection, writer: 8)
    }
    let end = try world.finished(seqno).funnel
    #expect((end.cancelled, end.rejected, end.pending) == (1, 0, 0))
    #expect(end.state == .cancelled)
  }
}
