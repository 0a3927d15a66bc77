import Domain
import Postgres
import Reactor
import Store
import TestSupport
import Testing

/// Which shards of a message transactions lock, and in which order: two different orders would end in a deadlock.
@Suite struct ShardOrderTests {
  @Test func `a cancellation locks shards in order, wherever they are in the table`() throws {
    let database = try TestDatabase.make()
    let connection = try database.connect()
    // In the table, the second one precedes the first.
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key) VALUES ('a', 'A', 'k');
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at,
        cancelled_at, planned)
      SELECT 1, app, 3, 1, '{}', '\\x00', 2, now(), now() + interval '1 day', now(), true FROM apps;
      INSERT INTO shards (seqno, shard, after_key, upto_key, cursor_key, targeted) VALUES
        (1, 1, 'm', 'z', 'm', 1), (1, 0, '', 'm', '', 1)
      """)
    let done = try Inbox<String>(capacity: 1)
    let other = try database.connect()
    try other.withTransaction {
      // Another node claims from the second one.
      try other.script("SELECT FROM shards WHERE shard = 1 FOR UPDATE")
      _ = try Thread(name: "cancel") {
        var failure = ""
        do {
          let canceller = try database.connect()
          try canceller.script("SET enable_indexscan = off; SET enable_bitmapscan = off")
          try Cancellation.endUnclaimed(1, on: canceller)
        } catch {
          failure = "\(error)"
        }
        _ = done.offer(failure)
      }
      _ = try poll("the cancellation does not wait") { try connection.waitingSessions() == 1 ? true : nil }
      let first = try connection.run(
        Statement("test-first-shard", "SELECT shard FROM shards WHERE shard = 0 FOR UPDATE SKIP LOCKED"))
      #expect(first.count == 0, "it waits for the second one, and has not locked the first")
    }
    #expect(done.receive(atMost: .patience) == [""])
    let open = try connection.run(Statement("test-open-shards", "SELECT FROM shards WHERE NOT exhausted"))
    #expect(open.count == 0)
  }

  @Test func `a claim that keeps its wave to itself leaves the shards of other waves alone`() throws {
    let database = try TestDatabase.make()
    let connection = try database.connect()
    // Shards 0 and 1 are of the first wave, 2 and 3 of the second one.
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key) VALUES ('a', 'A', 'k');
      INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, planned)
      SELECT 1, app, 2, 1, '{}', '\\x00', 4, now(), now() + interval '1 day', true FROM apps;
      INSERT INTO waves (seqno, wave, due_at, zones, planned, opened)
      SELECT 1, n, now(), '{}', true, true FROM generate_series(1, 2) n;
      INSERT INTO shards (seqno, shard, wave, after_key, upto_key, cursor_key, targeted)
      SELECT 1, n, 1 + n / 2, '', 'z', '', 1 FROM generate_series(0, 3) n
      """)
    let other = try database.connect()
    let free = Statement("test-free-shards", "SELECT shard FROM shards ORDER BY shard FOR UPDATE SKIP LOCKED")
    try connection.withTransaction {
      let shard = try #require(try connection.run(Shards.lock(1)))
      #expect((shard.shard, shard.wave) == (0, 1))
      #expect(try connection.run(Shards.lockOthers(of: shard)))
      let left = try other.run(free).decode { $0.int32() }
      #expect(left == [2, 3])
      #expect(try other.run(Shards.lock(1)) == nil, "another wave is begun meanwhile")
    }
  }
}
