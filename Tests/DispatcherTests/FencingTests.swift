import Postgres
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// As when a node was frozen: its lease ran out, another took its claims over, and now it wakes with what it believed.
@Suite struct FencingTests {
  /// Answers as told, but not before another node has taken over whatever is claimed.
  private func answerAfterTakeOver(_ world: DispatcherWorld, _ result: SubmissionResult) throws {
    try world.connection.script(
      "INSERT INTO nodes VALUES ('00000000-0000-0000-0000-0000000000ff', now() + interval '1 hour')")
    let url = world.databaseURL
    world.network.answer { _, _, _ in
      // A claim that cannot be taken over leaves the test without the situation it is about, which it notices.
      try? TestDatabase.connect(to: url).script(
        """
        UPDATE claims SET node = '00000000-0000-0000-0000-0000000000ff', fence = fence + 1
        WHERE node <> '00000000-0000-0000-0000-0000000000ff'
        """)
      return result
    }
  }

  private func nothingUnderWay(_ world: DispatcherWorld) throws {
    _ = try poll("the woken node did not let go") {
      !world.network.log.isEmpty && world.underWay == 0 ? true : nil
    }
    #expect(try world.count("claims WHERE node = '00000000-0000-0000-0000-0000000000ff' AND fence = 1") == 1)
  }

  @Test func `a woken node does not hand back what another has taken over`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<3)
    try answerAfterTakeOver(world, .retry(reason: "ServiceUnavailable", after: 3600))
    let seqno = try world.send()
    try nothingUnderWay(world)
    #expect(try world.count("outcomes WHERE seqno = \(seqno)") == 0, "the new holder's to say")
    #expect(world.network.log.count == 2)
  }

  @Test func `a woken node does not submit again what another has taken over`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<3)
    try answerAfterTakeOver(world, .notProcessed)
    let seqno = try world.send()
    try nothingUnderWay(world)
    #expect(world.network.log.count == 2)
    #expect(try world.count("outcomes WHERE seqno = \(seqno)") == 0)
  }

  @Test func `what the network answered a woken node is true all the same`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<3)
    try answerAfterTakeOver(world, .accepted)
    let seqno = try world.send()
    try nothingUnderWay(world)
    #expect(try world.funnel(seqno).funnel.accepted == 2)
    #expect(try world.funnel(seqno).funnel.state == .sending, "the claim is the other's to end")
  }

  @Test func `a claim that was lost and won back is another claim`() throws {
    let world = try DispatcherWorld()
    try world.makeDevices(1..<2)
    let url = world.databaseURL
    // Lost to a node that died at once: this node takes it over from that one while it still waits to hand it back.
    world.network.answer { _, _, attempt in
      guard attempt == 1 else { return .accepted }
      try? TestDatabase.connect(to: url).script(
        "UPDATE claims SET node = '00000000-0000-0000-0000-0000000000fe', fence = fence + 1")
      return .retry(reason: "ServiceUnavailable", after: 20)
    }
    let seqno = try world.send()
    let end = try world.finished(seqno).funnel
    #expect((end.accepted, end.resent, end.skipped) == (1, 1, 0))
    #expect(world.network.log.count == 2)
  }

  /// What it refused while the app was held back proves nothing, but it is the other's refusal that ended the deliveries.
  @Test func `a woken node opens nothing again that the other has ended`() throws {
    let world = try DispatcherWorld { _, _, _ in .rejected(reason: "TopicDisallowed") }
    try world.makeDevices(1..<3)
    world.network.hold((1..<3).map(DispatcherWorld.device))
    let seqno = try world.send()
    _ = try poll("not all were sent to") { world.network.held == 2 ? true : nil }
    try world.connection.script("UPDATE claims SET fence = fence + 1")
    let records = (1..<3).map {
      Outcomes.Record(
        seqno: seqno, device: DispatcherWorld.device($0), userKey: UserKey(clientUID: "kim"), status: .rejected,
        attempts: 1, reason: "BadDeviceToken", dueAt: nil)
    }
    var increase = Outcomes.Increase()
    for record in records { increase.count(record.status, reason: record.reason) }
    _ = try world.connection.run(Outcomes.write(records, at: 1))
    for query in Outcomes.add([seqno: increase], writer: 99) { try world.connection.run(query) }
    try world.connection.script("DELETE FROM claims")
    try Messages.finish([seqno], at: 1, on: world.connection)
    #expect(try world.finished(seqno).funnel.rejected == 2)
    try world.connection.run(AppPauses.pause(world.app, reason: "a wrong credential"))

    world.network.answerHeld()
    _ = try poll("the woken node did not let go") { world.underWay == 0 ? true : nil }
    let (funnel, reasons) = try world.funnel(seqno)
    #expect(funnel.state == .failed && funnel.rejected == 2 && funnel.pending == 0, "\(funnel) \(reasons)")
    #expect(try world.count("outcomes WHERE status = 2 AND reason = 'BadDeviceToken'") == 2)
  }

  @Test func `who takes over a claim leaves what a newer claim has in progress to that`() throws {
    let world = try DispatcherWorld()
    world.stop()
    let seqno = try world.send()
    let node = UUIDValue(high: 9, low: 9)
    func entry(_ number: Int) -> Claims.Entry {
      Claims.Entry(
        device: DispatcherWorld.device(number), userKey: UserKey(clientUID: "user \(number)"), attempts: 0)
    }
    let older = try world.connection.run(Claims.create(seqno, node: node, [entry(1), entry(2)]))
    let deferred = Outcomes.Record(
      seqno: seqno, device: DispatcherWorld.device(1), userKey: UserKey(clientUID: "user 1"), status: .deferred,
      attempts: 1, reason: "ServiceUnavailable", dueAt: 1)
    _ = try world.connection.run(Outcomes.write([deferred], at: 1))
    try world.connection.script("UPDATE outcomes SET due_at = NULL")
    let newer = try world.connection.run(Claims.create(seqno, node: node, [entry(1)]))
    let undecided = try Claims.undecided([older, newer], on: world.connection)
    #expect(undecided[older.claim]?.map(\.device) == [DispatcherWorld.device(2)], "it would be sent twice")
    #expect(undecided[newer.claim]?.map(\.device) == [DispatcherWorld.device(1)])
  }
}
