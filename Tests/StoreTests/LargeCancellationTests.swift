import Domain
import Postgres
import TestSupport
import Testing
import Time

@testable import Store

/// A message may have millions of deferred deliveries when it is cancelled: nobody waits for the last of them.
@Suite struct LargeCancellationTests {
  private static let blocks: Int32 = 10
  private let connection: Connection

  /// A message that is being cancelled, with two deliveries in each of ten blocks that wait for the morning.
  init() throws {
    connection = try TestDatabase.make().connect()
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key) VALUES ('com.example.bank', '', 'bank');
      INSERT INTO messages (seqno, app, state, lane, request, created_at, expires_at, frozen_at, cancelled_at, targeted,
        planned)
      VALUES (1, 1, 3, 1, '{}', now(), now() + interval '1 day', now(), now(), \(2 * Self.blocks), true)
      """)
    for number in 0..<Self.blocks {
      let members = (0..<2).map { place in
        (
          device: DeviceID(high: 0x0123_4567_89ab_4def, low: UInt64(2 * number + Int32(place))),
          userKey: UserKey(clientUID: "kim\(number)\(place)")
        )
      }
      let recipients = try #require(BlockRecipients(members))
      _ = try connection.run(
        Blocks.create(
          BlockID(seqno: Seqno(1), number: number), node: UUIDValue(high: 0, low: 7), recipients,
          firstKey: members[0].userKey, increment: nil))
    }
    try connection.script(
      """
      DELETE FROM claims;
      UPDATE block_states SET states = '\\x0b0b';
      INSERT INTO waits (seqno, block, due_at, at, reason, places)
      SELECT seqno, block, now() + interval '8 hours', now(), 'night', '{0,1}' FROM blocks
      """)
  }

  private func sweep(while goesOn: () -> Bool) throws -> Bool {
    try Cancellation.sweep(
      Seqno(1), app: 1, movesBadge: false, now: Timestamp(seconds: 1_800_000_000), on: connection, while: goesOn)
  }

  private func number(_ select: String) throws -> Int64 {
    try connection.run(Statement("test \(select.hashValue)", "SELECT \(select)")).int64(0, 0)
  }

  @Test func `it ends a batch when its time is up, and the next call ends the rest`() throws {
    #expect(try !sweep { false })
    #expect(try number("count(*) FROM waits") == Int64(Self.blocks) - Int64(Cancellation.Limits.blocks))
    #expect(try number("sum(cancelled)::bigint FROM message_totals") == 2 * Int64(Cancellation.Limits.blocks))
    #expect(try number("count(*) FROM messages WHERE state = 3") == 1)

    #expect(try sweep { true })
    #expect(try number("count(*) FROM waits") == 0)
    #expect(try number("sum(cancelled)::bigint FROM message_totals") == 2 * Int64(Self.blocks))
    #expect(try number("count(*) FROM messages WHERE state = 5 AND finished_at IS NOT NULL") == 1)
    for question in Invariants.all { #expect(try connection.run(question.broken) == 0, "\(question.promise)") }
  }
}
