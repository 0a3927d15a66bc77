import Domain
import Postgres
import Store
import TestSupport
import Testing

/// What a promoted standby does before it gives the first number.
@Suite struct TimelineTests {
  private let connection: Connection

  init() throws {
    connection = try TestDatabase.make().connect()
  }

  private func claim() throws -> Int64 {
    let device = DeviceID(high: 0x0123_4567_89ab_4def, low: 1)
    let entry = Claims.Entry(device: device, userKey: UserKey(clientUID: "kim"), attempts: 0)
    return try connection.run(Claims.create(Seqno(1), node: UUIDValue(high: 0, low: 7), [entry])).claim.number
  }

  @Test func `a claim gets no number that the lost primary may have given to a node`() throws {
    #expect(try claim() == 1)
    #expect(try claim() == 2)
    // As on the next timeline: nothing has been numbered on the present one yet.
    try connection.script("UPDATE seqno_timeline SET timeline = timeline + 1, claims_timeline = claims_timeline + 1")
    let first = try claim()
    #expect(first > 500_000)
    #expect(try claim() == first + 1)
    // Messages skip their numbers before the first of them.
    #expect(try connection.run(Timelines.change()) == nil)
  }

  /// The statement is using tables of deliveries, to which no partition can be added before it ends.
  @Test func `a block is claimed after a promotion although messages come near the end of their partitions`() throws {
    try connection.script(
      """
      UPDATE seqno_timeline SET timeline = timeline + 1, claims_timeline = claims_timeline + 1;
      SELECT setval('messages_seqno_seq', (SELECT max(upto_seqno) - 1 FROM seqno_ranges))
      """)
    let (device, user) = (DeviceID(high: 0x0123_4567_89ab_4def, low: 1), UserKey(clientUID: "kim"))
    let recipients = try #require(BlockRecipients([(device: device, userKey: user)]))
    let block = BlockID(seqno: Seqno(1), number: 0)
    let hold = try connection.run(
      Blocks.create(block, node: UUIDValue(high: 0, low: 7), recipients, firstKey: user, increment: nil))
    #expect(hold.claim.number > 500_000)
  }
}
