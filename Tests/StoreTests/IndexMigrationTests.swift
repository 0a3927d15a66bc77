import Postgres
import Reactor
import TestSupport
import Testing

@testable import Store

/// Files without a transaction: several statements, and indexes that are built while others write.
@Suite struct IndexMigrationTests {
  private let fixture: MigratorFixture

  init() throws {
    fixture = try MigratorFixture()
    fixture.write("0001_create_a.sql", "-- Why.\nCREATE TABLE a (x int);\nINSERT INTO a VALUES (1);\n")
    try fixture.migrator().migrate(fixture.connection)
  }

  private func writeIndexes() {
    fixture.write(
      "0002_index_a.sql",
      """
      -- Why: found at once; it holds nobody back;
      -- upmc:no-transaction

      CREATE INDEX CONCURRENTLY IF NOT EXISTS a_first ON a (x)
        WHERE x > 0;

      -- A second one.
      CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a_second ON a (x);
      """)
  }

  private func valid() throws -> [String: Bool] {
    let rows = try fixture.connection.run(
      Statement(
        "valid",
        "SELECT indexrelid::regclass::text, indisvalid FROM pg_index WHERE indrelid = 'a'::regclass"))
    return Dictionary(uniqueKeysWithValues: rows.map { (rows.text($0, 0), rows.bool($0, 1)) })
  }

  /// Starts a migration on a thread; answers its session and the inbox that hears how it ended.
  private func start() throws -> (pid: Int32, ended: Inbox<String>) {
    let (started, ended) = (try Inbox<Int32>(capacity: 1), try Inbox<String>(capacity: 1))
    let (migrator, url) = (try fixture.migrator(), fixture.database.url)
    _ = try Thread(name: "migration") {
      do {
        let connection = try TestDatabase.connect(to: url)
        _ = started.offer(connection.backendPID)
        _ = ended.offer("\(try migrator.migrate(connection))")
      } catch {
        _ = ended.offer("\(error)")
      }
    }
    return (try #require(started.receive(atMost: .patience).first), ended)
  }

  /// Waits until the session waits for the writer.
  private func waits(_ pid: Int32) throws {
    let statement = Statement(
      "waits", "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = \(pid) AND query LIKE '%a_first%'")
    _ = try poll("no index is being built") { () -> Bool? in
      let rows = try fixture.connection.run(statement)
      return rows.count == 1 && !rows.isNull(0, 0) && rows.bool(0, 0) ? true : nil
    }
  }

  @Test func `others write while an index is built, and one statement follows the other`() throws {
    writeIndexes()
    let writer = try fixture.database.connect()
    try writer.script("BEGIN; INSERT INTO a VALUES (2)")
    let (pid, ended) = try start()
    try waits(pid)
    try fixture.database.connect().script("SET lock_timeout = '1s'; INSERT INTO a VALUES (3)")
    try writer.script("COMMIT")
    #expect(ended.receive(atMost: .patience) == ["1"])
    #expect(try valid() == ["a_first": true, "a_second": true])
  }

  @Test func `what a kill left half built is built anew by the next start`() throws {
    writeIndexes()
    let writer = try fixture.database.connect()
    try writer.script("BEGIN; INSERT INTO a VALUES (2)")
    let (pid, ended) = try start()
    try waits(pid)
    _ = try fixture.connection.run(Statement("kill", "SELECT pg_terminate_backend(\(pid))"))
    #expect(ended.receive(atMost: .patience).first?.contains("0002_index_a.sql") == true)
    #expect(try valid() == ["a_first": false])
    try writer.script("COMMIT")
    #expect(try fixture.migrator().migrate(fixture.connection) == 1)
    #expect(try valid() == ["a_first": true, "a_second": true])
  }

  @Test func `an error says where in the file it is, and what was done before stays`() throws {
    fixture.write(
      "0002_index_a.sql",
      "-- upmc:no-transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS a_first ON a (x);\n\nCREATE TABLE b (x nonsense);\n"
    )
    let sentence = try fixture.refusal()
    #expect(sentence.hasPrefix("0002_index_a.sql, line 4, failed"), "\(sentence)")
    #expect(sentence.contains("look what it left behind"))
    #expect(try valid() == ["a_first": true])
  }

  @Test func `statements are told apart at the ends of lines, and two on one are refused`() throws {
    writeIndexes()
    let singles = try fixture.migrator().migrations[1].singles
    #expect(singles.map(\.index) == ["a_first", "a_second"])
    #expect(singles[1].sql.hasSuffix("a_second ON a (x);\n") && !singles[1].sql.contains("a_first"))
    fixture.write("0002_index_a.sql", "-- upmc:no-transaction\nCREATE TABLE b (); CREATE TABLE c ();\n")
    #expect(try fixture.refusal().contains("look what it left behind"))
    #expect(try !fixture.exists("b"))
  }
}
