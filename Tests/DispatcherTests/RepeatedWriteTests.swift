import Crypto
import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// A transaction of decisions is repeated, because nobody heard whether it was committed.
@Suite struct RepeatedWriteTests {
  private static let node = UUIDValue(high: 1, low: 1)
  private let world: DispatcherWorld
  private let seqno: Seqno

  init() throws {
    world = try DispatcherWorld()
    world.stop()
    seqno = try world.send()
  }

  private struct Cut: Error {}

  private func write(_ decisions: inout Decisions, andCommit commits: Bool = true) throws {
    try world.connection.withTransaction {
      _ = try decisions.write(
        world.connection, finished: [], node: Self.node, writer: 7, now: 1, storesRows: true,
        CircuitBreaker())
      if !commits { throw Cut() }
    }
  }

  private func expectCounted(unknown: Int64, resent: Int64) throws {
    let funnel = try world.funnel(seqno).funnel
    #expect(funnel.unknown == unknown && funnel.resent == resent, "\(funnel)")
  }

  @Test func `what a lost answer hid is counted once, beside what came before and since`() throws {
    var earlier = Decisions()
    earlier.countUnknown(seqno)
    earlier.countResent(seqno)
    try write(&earlier)
    var decisions = Decisions()
    decisions.countUnknown(seqno)
    decisions.countResent(seqno)
    // Committed; but the answer is lost, so the decisions stay, and more join them.
    try write(&decisions)
    decisions.countUnknown(seqno)
    try write(&decisions)
    try expectCounted(unknown: 3, resent: 2)
    // Lost again.
    try write(&decisions)
    try expectCounted(unknown: 3, resent: 2)
  }

  @Test func `what was rolled back is counted by the next attempt`() throws {
    var decisions = Decisions()
    decisions.countUnknown(seqno)
    decisions.countResent(seqno)
    #expect(throws: Cut.self) { try write(&decisions, andCommit: false) }
    try write(&decisions)
    try expectCounted(unknown: 1, resent: 1)
  }

  @Test func `what is written apart, because a part of it cannot be written, is counted once too`() throws {
    var decisions = Decisions()
    decisions.countUnknown(seqno)
    try write(&decisions)
    for part in decisions.parts {
      var part = part
      try write(&part)
    }
    try expectCounted(unknown: 1, resent: 0)
  }

  private func dispatched() throws -> DispatchMessage {
    let stored = try #require(try world.connection.run(Messages.find(seqno)))
    return DispatchMessage(
      stored, try MessageRequest(stored: stored.request), pushkeys: PushKeyring(present: SymmetricKey.random()))
  }

  private func entry(_ number: Int) -> Claims.Entry {
    Claims.Entry(
      device: DispatcherWorld.device(number), userKey: UserKey(clientUID: "user \(number)"), attempts: 0)
  }

  // MARK: Copied outcomes

  @Test func `outcomes that were copied in before the answer was lost are counted once`() throws {
    let entries = (1...Limits.copiedDecisions).map { entry($0) }
    let claim = try world.connection.run(Claims.create(seqno, node: Self.node, entries))
    let message = try dispatched()
    var decisions = Decisions()
    for entry in entries {
      let record = Outcomes.Record(
        seqno: seqno, device: entry.device, userKey: entry.userKey, status: .accepted, attempts: 1, reason: nil,
        dueAt: nil)
      decisions.add(
        Decisions.Decision(claim: claim, message: message, record: record, isFirst: true, network: .apns))
    }
    try write(&decisions)
    // Committed, so all of them have rows, and no more can be copied in.
    let conflict = try #require(throws: PostgresError.self) { try write(&decisions) }
    #expect(conflict.sqlState == .uniqueViolation)
    decisions.copies = false
    try write(&decisions)
    #expect(try world.count("outcomes WHERE status = 1") == entries.count)
    #expect(try world.funnel(seqno).funnel.accepted == Int64(entries.count))
  }

  // MARK: Deferrals

  private func deferred(attempts: Tries) -> Outcomes.Record {
    Outcomes.Record(
      seqno: seqno, device: DispatcherWorld.device(1), userKey: UserKey(clientUID: "user 1"), status: .deferred,
      attempts: attempts, reason: "ServiceUnavailable", dueAt: 1)
  }

  /// The first of two devices of a claim is deferred; the second is still in progress.
  private func makeDecisions() throws -> Decisions {
    let claim = try world.connection.run(Claims.create(seqno, node: Self.node, [entry(1), entry(2)]))
    var decisions = Decisions()
    decisions.add(Decisions.Decision(claim: claim, message: try dispatched(), record: deferred(attempts: 1)))
    return decisions
  }

  @Test func `what was deferred, and is in progress again, does not become due once more`() throws {
    var decisions = try makeDecisions()
    try write(&decisions)
    #expect(try world.count("outcomes WHERE due_at IS NOT NULL") == 1)
    // Committed, but the answer is lost; meanwhile it was due, and is being sent.
    try world.connection.script("UPDATE outcomes SET due_at = NULL")
    _ = try world.connection.run(Claims.create(seqno, node: Self.node, [entry(1)]))
    try write(&decisions)
    #expect(try world.count("outcomes WHERE due_at IS NULL") == 1)
  }

  @Test func `what an attempt defers that is still going on, and is in progress again, does not become due`() throws {
    var decisions = try makeDecisions()
    let other = try TestDatabase.connect(to: world.databaseURL)
    try other.script("BEGIN")
    _ = try decisions.write(
      other, finished: [], node: Self.node, writer: 7, now: 1, storesRows: true, CircuitBreaker())
    // Taken up at the moment at which it is committed.
    try other.script("UPDATE outcomes SET due_at = NULL")
    _ = try other.run(Claims.create(seqno, node: Self.node, [entry(1)]))
    let (again, url) = (decisions, world.databaseURL)
    let done = try Inbox<String>(capacity: 1)
    _ = try Thread(name: "again") {
      do {
        var decisions = again
        let connection = try TestDatabase.connect(to: url)
        try connection.withTransaction {
          _ = try decisions.write(
            connection, finished: [], node: Self.node, writer: 7, now: 1, storesRows: true, CircuitBreaker())
        }
        _ = done.offer("")
      } catch { _ = done.offer("\(error)") }
    }
    _ = try poll("the repetition does not wait") { try world.connection.waitingSessions() > 0 ? true : nil }
    try other.script("COMMIT")
    #expect(done.receive(atMost: .patience) == [""])
    #expect(try world.count("outcomes WHERE due_at IS NULL") == 1)
  }

  @Test func `what was deferred again meanwhile keeps its later tries`() throws {
    var decisions = try makeDecisions()
    try write(&decisions)
    try world.connection.script("UPDATE outcomes SET due_at = NULL")
    _ = try world.connection.run(Outcomes.write([deferred(attempts: 2)], at: 2))
    try write(&decisions)
    #expect(try world.count("outcomes WHERE attempts = 2") == 1)
  }

  @Test func `a deferral that was rolled back is written by the next attempt`() throws {
    var decisions = try makeDecisions()
    #expect(throws: Cut.self) { try write(&decisions, andCommit: false) }
    try write(&decisions)
    #expect(try world.count("outcomes WHERE due_at IS NOT NULL") == 1)
  }
}
