import Postgres
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

@Suite struct ResubmissionTests {
  /// As when a node was frozen: its lease ran out, another took its claim over and finished it, and now it wakes.
  @Test func `what another node has ended meanwhile is not submitted again`() throws {
    let world = try DispatcherWorld { _, target, attempt in
      attempt == 1 ? .retry(reason: "ServiceUnavailable", after: 3) : .accepted
    }
    try world.makeDevices(1..<3)
    // Hold both answers until the other node has written its outcome.
    world.network.hold((1..<3).map(DispatcherWorld.device))
    let seqno = try world.send()
    _ = try poll("nothing was submitted") { world.network.held == 2 ? true : nil }
    let record = Outcomes.Record(
      seqno: seqno, device: DispatcherWorld.device(1), userKey: UserKey(clientUID: "00000001"), status: .accepted,
      attempts: 1, reason: nil, dueAt: nil)
    #expect(try world.connection.run(Outcomes.write([record], at: 1_800_000_000_000_000)).count == 1)
    var increase = Outcomes.Increase()
    increase.count(.accepted, reason: nil)
    for query in Outcomes.add([seqno: increase], writer: 7) { try world.connection.run(query) }

    world.network.answerHeld()
    let end = try world.finished(seqno).funnel
    #expect((end.accepted, end.skipped) == (2, 0))
    try world.settled(seqno)
    #expect(world.network.log.map(\.device.low).sorted() == [1, 2, 2])
  }

  @Test func `an adoption whose confirmation is lost is counted once, and its pushes are sent once`() throws {
    let proxy = try DatabaseProxy()
    defer { proxy.close() }
    let world = try DispatcherWorld(through: proxy)
    defer { world.stop() }
    try world.makeDevices(1..<3)
    proxy.loseAnswer(to: ["claims-adopt", "outcomes-totals", " commit "])
    let seqno = try world.connection.withTransaction {
      let seqno = try world.send()
      try world.connection.script(
        """
        UPDATE messages SET state = 2, frozen_at = now(), planned = true, targeted = 2 WHERE seqno = \(seqno);
        INSERT INTO claims (seqno, node, devices, user_keys)
        VALUES (\(seqno), '00000000-0000-0000-0000-0000000000ff',
          '{\(DispatcherWorld.device(1)),\(DispatcherWorld.device(2))}', '{u00000001,u00000002}')
        """)
      return seqno
    }
    let end = try world.finished(seqno).funnel
    #expect(proxy.lost == 1)
    #expect((end.accepted, end.unknown, end.resent) == (2, 2, 2), "\(end)")
    #expect(world.network.log.map(\.device.low).sorted() == [1, 2])
  }

  /// The database counts it, but the connection on which it would answer is gone.
  @Test func `a resend is counted once although the connection broke while it was counted`() throws {
    let proxy = try DatabaseProxy()
    defer { proxy.close() }
    let world = try DispatcherWorld(through: proxy) { _, _, attempt in
      attempt == 1 ? .unknown(reason: "reset") : .accepted
    }
    defer { world.stop() }
    try world.makeDevices(1..<2)
    world.network.hold([DispatcherWorld.device(1)])
    let seqno = try world.send()
    _ = try poll("nothing was submitted") { world.network.held == 1 ? true : nil }
    // It is not sent again before its device has been read.
    let gate = try TestDatabase.connect(to: world.databaseURL)
    let row = try TestDatabase.connect(to: world.databaseURL)
    try gate.script("BEGIN; LOCK TABLE devices")
    world.network.answerHeld()
    _ = try poll("the doubt is not counted") {
      try world.count("message_totals WHERE seqno = \(seqno) AND unknown = 1") == 1 ? true : nil
    }
    try row.script("BEGIN; SELECT FROM message_totals WHERE seqno = \(seqno) FOR UPDATE")
    try gate.script("COMMIT")
    _ = try poll("it is not counted") {
      let waiting = try world.count(
        """
        pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE NOT l.granted AND l.locktype = 'transactionid' AND a.datname = current_database()
        """)
      return waiting > 0 ? true : nil
    }
    proxy.cut()
    try row.script("COMMIT")
    let end = try world.finished(seqno).funnel
    #expect((end.accepted, end.unknown, end.resent) == (1, 1, 1), "\(end)")
    #expect(world.network.log.count == 2)
  }
}
