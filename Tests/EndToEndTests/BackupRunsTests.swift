import Foundation
import Postgres
import Reactor
import Server
import Store
import TestSupport
import TestTier
import Testing

/// A backup reads for hours, and the server goes on making what it needs.
@Suite(.slow, .serialized) struct BackupRunsTests {
  /// A program of PostgreSQL's own: nobody ends its session for its pauses.
  private static func beginBackup(_ world: World) throws -> Connection {
    var options = TestDatabase.patientOptions
    options.applicationName = "pg_dump"
    options.idleInTransactionTimeout = nil
    let backup = try world.database.connect(options: options)
    try backup.script(RunningBackup.script)
    return backup
  }

  @Test func `the next partitions are made while a backup runs, and nobody waits`() throws {
    let world = try World()
    try world.register("d1", token: World.token("a1"), user: "kim")
    let backup = try Self.beginBackup(world)
    let before = try world.number("SELECT count(*) FROM seqno_ranges")
    try world.connection.script("SELECT setval('messages_seqno_seq', 500000)")
    _ = try poll("no partitions are made") {
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
      SELECT count(*) FROM delivery_tables t, LATERAL (
        SELECT count(*) FILTER (WHERE indrelid = name::text::regclass) AS parent,
          count(*) FILTER (WHERE indrelid = (name || '_1000001')::regclass) AS part FROM pg_index) i
      WHERE i.parent <> i.part OR i.parent = 0
      """
    #expect(try world.number(different) == 0)
    try backup.script("COMMIT")
  }

  @Test func `what is no longer kept waits for the end of a backup, and nobody waits for it`() throws {
    // Calls of functions are counted, but not those that failed.
    let world = try World(prepare: {
      try $0.connect().script("ALTER DATABASE \($0.name) SET track_functions = 'all'")
    })
    try world.register("d1", token: World.token("a1"), user: "kim")
    try world.connection.insist(
      on: "SELECT add_seqno_range(1000000); SELECT setval('messages_seqno_seq', 1200000)")
    let backup = try Self.beginBackup(world)
    try world.connection.script(
      "UPDATE seqno_ranges SET closed_at = now() - interval '1 hour' WHERE from_seqno = 1")
    // Several tries that neither drop anything nor fail for want of a lock, which they would have to wait for, and
    // others behind them. Those who send and confirm meanwhile get through.
    let tries = "SELECT coalesce(sum(calls), 0)::bigint FROM pg_stat_user_functions WHERE funcname = 'drop_seqno_range'"
    _ = try poll("nothing tries to drop it, or each try waits for a lock") {
      let seqno = try world.sendCode()
      try world.expectDelivered(seqno)
      #expect(try world.receipt(seqno, World.token("a1")).status == 200)
      return try world.number(tries) >= 3 ? true : nil
    }
    let parts = """
      SELECT count(*) FROM pg_class WHERE relname IN ('outcomes_1', 'row_receipts_1', 'row_reads_1') AND relkind = 'r'
      """
    #expect(try world.number(parts) == 3)
    // What is removed row by row goes on.
    try world.connection.script(
      "INSERT INTO vouchers (app, user_key, expires_at) VALUES (1, 'u1', now() - interval '1 day')")
    _ = try poll("nothing is removed while a backup runs") {
      try world.number("SELECT count(*) FROM vouchers") == 0 ? true : nil
    }
    try backup.script("COMMIT")
    _ = try poll("it is not dropped") { try world.number(parts) == 0 ? true : nil }
  }

  @Test func `a migration waits for the end of a backup, and nobody waits for it`() throws {
    let world = try World()
    try world.register("d1", token: World.token("a1"), user: "kim")
    let backup = try Self.beginBackup(world)
    let directory = TemporaryDirectory.make()
    for file in TemporaryDirectory.entries(of: TestDatabase.migrationsDirectory) {
      let text = try String(contentsOfFile: TestDatabase.migrationsDirectory + "/" + file, encoding: .utf8)
      TemporaryDirectory.write(directory + "/" + file, text)
    }
    let next = Migrator.newestKnownVersion + 1
    TemporaryDirectory.write(
      directory + "/" + String("000\(next)".suffix(4)) + "_widen.sql",
      "-- Why: a test.\n-- upmc:oldest-program \(next - 1)\nALTER TABLE outcomes ADD COLUMN wide integer;\n")
    let (url, ended) = (world.database.url, try Inbox<String>(capacity: 1))
    let heldUp = try Inbox<Void>(capacity: 1)
    _ = try Thread(name: "migrates") {
      do {
        let migrator = try Migrator(directory: directory, newestKnown: next)
        try migrator.migrate(TestDatabase.connect(to: url), isHeldUp: { _ in _ = heldUp.offer(()) })
        _ = ended.offer("done")
      } catch {
        _ = ended.offer("\(error)")
      }
    }
    #expect(heldUp.receive(atMost: .patience).count == 1)
    for _ in 0..<5 {
      let seqno = try world.sendCode()
      try world.expectDelivered(seqno)
      #expect(try world.receipt(seqno, World.token("a1")).status == 200)
    }
    #expect(ended.receive(atMost: .zero).isEmpty)
    try backup.script("COMMIT")
    #expect(ended.receive(atMost: .patience) == ["done"])
  }

  @Test func `of two nodes that want the next partitions one makes them`() throws {
    let world = try World()
    let second = try world.startNode()
    defer { second.stop() }
    try world.connection.script("SELECT setval('messages_seqno_seq', 500000)")
    _ = try poll("no partitions are made") {
      try world.number("SELECT count(*) FROM seqno_ranges") > 1 ? true : nil
    }
    let finished = try Inbox<Bool>(capacity: 8)
    for _ in 0..<8 {
      let url = world.database.url
      _ = try Thread(name: "extends") {
        let connection = try? TestDatabase.connect(to: url)
        _ = finished.offer((try? connection?.script("SELECT extend_seqno_ranges(1000000)")) != nil)
      }
    }
    _ = try finished.receive(8, or: "not all sessions have ended")
    #expect(try world.number("SELECT count(*) FROM seqno_ranges") == 2)
  }
}
