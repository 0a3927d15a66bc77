import Domain
import Postgres
import Reactor
import Store
import TestSupport
import Testing

/// The order in which transactions lock several shards of a message: two different ones would end in a deadlock.
@Suite struct ShardOrderTests {
  @Test func `a cancellation locks shards in their order, however they lie in the table`() throws {
    let database = try TestDatabase.make()
    let connection = try database.connect()
    // The second one lies before the first.
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
      // Somebody claims from the second one.
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
}
