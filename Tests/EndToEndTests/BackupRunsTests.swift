import Foundation
import Postgres
import Reactor
import Server
import TestSupport
import Testing

/// A backup reads for hours, and the server goes on making what it needs.
@Suite(.serialized) struct BackupRunsTests {
  /// What `pg_dump` holds from its first moment to its last, however slowly it is read.
  private static let dump = """
    BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
    SELECT count(*) FROM messages;
    DO $$ DECLARE t text; BEGIN
      FOR t IN SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
      LOOP EXECUTE 'LOCK TABLE ONLY ' || t || ' IN ACCESS SHARE MODE'; END LOOP;
    END $$
    """

  @Test func `the next partitions are made while a backup runs, and nobody waits`() throws {
    let world = try World()
    try world.register("d1", token: World.token("a1"), user: "kim")
    let backup = try world.database.connect()
    try backup.script(Self.dump)
    let before = try world.number("SELECT count(*) FROM seqno_ranges")
    try world.connection.script("SELECT setval('messages_seqno_seq', 500000)")
    _ = try world.poll("no partitions are made") {
      try world.number("SELECT count(*) FROM seqno_ranges") > before ? true : nil
    }
    let seqno = try world.sendCode()
    try world.expectDelivered(seqno)
    #expect(try world.receipt(seqno, World.token("a1")).status == 200)
    // Numbers beyond the old partitions have a place, with all that its neighbours have.
    try world.connection.script("SELECT setval('messages_seqno_seq', 1200000)")
    let next = try world.sendCode()
    try world.expectDelivered(next)
    #expect(try world.read(next, World.token("a1")).status == 200)
    let different = """
      SELECT count(*) FROM (VALUES ('outcomes'), ('receipts'), ('reads')) t(name), LATERAL (
        SELECT count(*) FILTER (WHERE indrelid = name::regclass) AS parent,
          count(*) FILTER (WHERE indrelid = (name || '_1000001')::regclass) AS part FROM pg_index) i
      WHERE i.parent <> i.part OR i.parent = 0
      """
    #expect(try world.number(different) == 0)
    try backup.script("COMMIT")
  }

  @Test func `of two nodes that want the next partitions one makes them`() throws {
    let world = try World()
    let second = try world.startNode()
    defer { second.stop() }
    try world.connection.script("SELECT setval('messages_seqno_seq', 500000)")
    _ = try world.poll("no partitions are made") {
      try world.number("SELECT count(*) FROM seqno_ranges") > 1 ? true : nil
    }
    let finished = try Inbox<Bool>(capacity: 8)
    for _ in 0..<8 {
      let url = world.database.url
      _ = try Thread(name: "extends") {
        let connection = try? Connection(url)
        _ = finished.offer((try? connection?.script("SELECT extend_seqno_ranges(1000000)")) != nil)
      }
    }
    var ended: [Bool] = []
    while ended.count < 8 { ended += finished.receive(atMost: .seconds(1)) }
    #expect(try world.number("SELECT count(*) FROM seqno_ranges") == 2)
  }
}
