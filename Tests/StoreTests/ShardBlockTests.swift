import Domain
import Postgres
import Store
import TestSupport
import Testing

/// Numbers of blocks after a standby was promoted that lacked the last claims.
@Suite struct ShardBlockTests {
  private let connection: Connection
  private let seqno: Seqno

  init() throws {
    connection = try TestDatabase.make().connect()
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key) VALUES ('a', 'A', 'k');
      INSERT INTO messages (app, state, lane, request, request_sha256, targeted, created_at, expires_at, planned)
      SELECT app, 2, 1, '{}', '\\x00', 100000, now(), now() + interval '1 day', true FROM apps;
      """)
    seqno = try connection.run(Statement("seqno", "SELECT seqno FROM messages")).seqno(0, 0)
    try connection.run(Shards.create(seqno, .keys(after: "", upto: "z"), targeted: 100_000))
  }

  /// The database is on this timeline.
  private func follow(_ timeline: Int) throws {
    try connection.script(
      "CREATE OR REPLACE FUNCTION present_timeline() RETURNS integer LANGUAGE sql AS $$ SELECT \(timeline) $$")
  }

  /// Claims once; returns the block's number.
  private func claim() throws -> Int32? {
    try connection.withTransaction {
      let shard = try #require(try connection.run(Shards.lock(seqno)))
      let block = shard.nextBlock
      try connection.run(
        Shards.advance(
          shard, to: .keys(after: "m", upto: "z"), claimed: 1, makesBlock: block != nil, exhausted: false))
      return block?.number
    }
  }

  @Test func `no number is given again that the lost primary may have given`() throws {
    var given: Set<Int32> = []
    for timeline in 1...8 {
      try follow(timeline)
      for _ in 0..<3 { #expect(given.insert(try #require(try claim())).inserted) }
      // What the lost primary gave and the standby never had.
      try connection.script("UPDATE shards SET blocks = blocks - 2")
    }
    #expect(given.count == 24)
  }

  @Test func `a shard that is planned anew on another timeline begins with other numbers`() throws {
    #expect(try claim() == 0)
    try connection.script("DELETE FROM shards")
    try follow(2)
    try connection.run(Shards.create(seqno, .keys(after: "", upto: "z"), targeted: 100_000))
    #expect(try claim() == 2048)
  }

  @Test func `where a timeline's numbers end, claims go on without blocks`() throws {
    try connection.script("UPDATE shards SET blocks = 2046")
    #expect(try claim() == 2046)
    #expect(try claim() == nil && claim() == nil)
  }
}
