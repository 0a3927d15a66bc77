import Postgres
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// A transaction of decisions is repeated, because nobody heard whether it was committed.
@Suite struct RepeatedWriteTests {
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
        world.connection, finished: [], node: UUIDValue(high: 1, low: 1), writer: 7, now: 1, storesRows: true,
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
}
