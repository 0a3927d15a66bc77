import Postgres
import Reactor
import TestSupport
import Testing

@testable import Store

/// A directory of migrations and an empty database.
final class MigratorFixture {
  let directory = TemporaryDirectory.make()
  let database: TestDatabase
  let connection: Connection
  private var count = 0

  init() throws {
    database = try TestDatabase.makeEmpty()
    connection = try database.connect()
  }

  deinit { TemporaryDirectory.remove(directory) }

  func write(_ name: String, _ sql: String) {
    if TemporaryDirectory.entries(of: directory).contains(name) == false { count += 1 }
    TemporaryDirectory.write("\(directory)/\(name)", sql)
  }

  func remove(_ name: String) {
    TemporaryDirectory.remove("\(directory)/\(name)")
    count -= 1
  }

  func migrator(known: Int? = nil) throws -> Migrator {
    try Migrator(directory: directory, newestKnown: known ?? count)
  }

  /// The sentence of the error that migrating ends in.
  func refusal(known: Int? = nil) throws -> String {
    try #require(throws: MigratorError.self) { try migrator(known: known).migrate(connection) }.description
  }

  func exists(_ table: String) throws -> Bool {
    var parameters = Parameters()
    parameters.append(table)
    return try connection.run(Statement("exists", "SELECT to_regclass($1) IS NOT NULL"), parameters).bool(0, 0)
  }

  func writeTwo() {
    write("0001_create_a.sql", "-- Why.\n-- Locks nothing.\nCREATE TABLE a (x int);\nINSERT INTO a VALUES (1);\n")
    write("0002_create_b.sql", "-- Why.\nCREATE TABLE b (x int);\n")
  }
}

@Suite struct MigratorTests {
  let fixture: MigratorFixture

  init() throws { fixture = try MigratorFixture() }

  // MARK: Running

  @Test func `files run once, in order, and are recorded`() throws {
    fixture.writeTwo()
    var applied: [String] = []
    let count = try fixture.migrator().migrate(
      fixture.connection, didApply: { file, _ in applied.append(file.fileName) })
    #expect(count == 2)
    #expect(applied == ["0001_create_a.sql", "0002_create_b.sql"])
    #expect(try fixture.migrator().migrate(fixture.connection) == 0)
    let rows = try fixture.connection.run(
      Statement(
        "all", "SELECT name, octet_length(sha256), duration_ms, applied_at FROM upmc_migrations ORDER BY version"))
    #expect((0..<rows.count).map { rows.text($0, 0) } == ["create_a", "create_b"])
    #expect(rows.int32(0, 1) == 32)
  }

  @Test func `a new file runs alone`() throws {
    fixture.writeTwo()
    try fixture.migrator().migrate(fixture.connection)
    fixture.write("0003_create_c.sql", "CREATE TABLE c ()")
    #expect(try fixture.migrator().pending(fixture.connection).map(\.fileName) == ["0003_create_c.sql"])
    #expect(try !fixture.exists("c"))
    #expect(try fixture.migrator().migrate(fixture.connection) == 1)
    #expect(try fixture.exists("c"))
  }

  @Test func `listing what is pending changes nothing`() throws {
    fixture.writeTwo()
    #expect(try fixture.migrator().pending(fixture.connection).map(\.version) == [1, 2])
    #expect(try !fixture.exists("upmc_migrations"))
  }

  @Test func `a file that fails leaves nothing, and those before it stay`() throws {
    fixture.writeTwo()
    fixture.write("0003_break.sql", "-- Why.\nCREATE TABLE c ();\nCREATE TABLE d (x nonsense);\n")
    let sentence = try fixture.refusal()
    #expect(sentence.hasPrefix("0003_break.sql, line 3, failed, nothing of it was kept: "))
    #expect(sentence.contains("nonsense"))
    #expect(try fixture.exists("b"))
    #expect(try !fixture.exists("c"))
    fixture.write("0003_break.sql", "CREATE TABLE c ()")
    #expect(try fixture.migrator().migrate(fixture.connection) == 1)
  }

  @Test func `a file without a transaction may do what is not allowed in one`() throws {
    fixture.writeTwo()
    fixture.write(
      "0003_index_a.sql", "-- Why.\n-- upmc:no-transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS a_x ON a (x);\n")
    #expect(try fixture.migrator().migrate(fixture.connection) == 3)
    #expect(try fixture.exists("a_x"))
  }

  @Test func `the mark counts only before the first statement`() {
    let late = Migration(version: 1, name: "a", bytes: Array("-- Why.\nSELECT 1;\n-- upmc:no-transaction\n".utf8))
    let early = Migration(version: 1, name: "a", bytes: Array("-- Why.\n--   upmc:no-transaction\nSELECT 1\n".utf8))
    #expect(late.runsInTransaction)
    #expect(!early.runsInTransaction)
  }

  @Test func `many starters at once do the work once`() throws {
    fixture.writeTwo()
    fixture.write("0003_index_a.sql", "-- upmc:no-transaction\nCREATE INDEX CONCURRENTLY a_x ON a (x)")
    let migrator = try fixture.migrator()
    let url = fixture.database.url
    let results = try Inbox<Int>(capacity: 8)
    for number in 0..<4 {
      _ = try Thread(name: "starter-\(number)") {
        do {
          _ = results.offer(try migrator.migrate(TestDatabase.connect(to: url)))
        } catch {
          Issue.record(error)
          _ = results.offer(-1)
        }
      }
    }
    let counts = try results.receive(4, or: "not all starters have ended")
    #expect(counts.sorted() == [0, 0, 0, 3])
  }

  @Test func `whoever waits for another starter is told so, and goes on when that one is gone`() throws {
    fixture.writeTwo()
    let other = try fixture.database.connect()
    try other.script("SELECT pg_advisory_lock(x'75706d636d696772'::bit(64)::int8)")
    var waits = 0
    let applied = try fixture.migrator().migrate(
      fixture.connection,
      willWait: {
        waits += 1
        #expect(throws: Never.self) { try other.script("SELECT pg_advisory_unlock_all()") }
      })
    #expect(waits == 1)
    #expect(applied == 2)
  }

  @Test func `a file that would have to wait for a lock lets others through and tries again`() throws {
    fixture.write("0001_create_a.sql", "-- Why.\nCREATE TABLE a (x int);\n")
    try fixture.migrator().migrate(fixture.connection)
    fixture.write("0002_widen_a.sql", "-- Why.\nALTER TABLE a ADD COLUMN y int;\n")
    let reader = try fixture.database.connect()
    try reader.script("BEGIN")
    try reader.script("LOCK TABLE a IN ACCESS SHARE MODE")
    var heldUp: [String] = []
    let applied = try fixture.migrator().migrate(
      fixture.connection,
      isHeldUp: { file in
        heldUp.append(file.fileName)
        #expect(throws: Never.self) {
          // Whoever comes now is not in the way of a lock that is waited for.
          try fixture.database.connect().script("SET lock_timeout = '10s'; SELECT FROM a")
          try reader.script("COMMIT")
        }
      })
    #expect(applied == 1)
    #expect(heldUp == ["0002_widen_a.sql"])
  }

  // MARK: Refusing

  @Test func `a changed file is refused and says what to do`() throws {
    fixture.writeTwo()
    try fixture.migrator().migrate(fixture.connection)
    fixture.write("0001_create_a.sql", "CREATE TABLE a (x int8)")
    fixture.write("0003_create_c.sql", "CREATE TABLE c ()")
    #expect(try fixture.refusal().hasPrefix("0001_create_a.sql was changed after it was applied: restore it"))
    #expect(try !fixture.exists("c"))
  }

  @Test func `a renamed file is refused`() throws {
    fixture.writeTwo()
    try fixture.migrator().migrate(fixture.connection)
    fixture.remove("0002_create_b.sql")
    fixture.write("0002_create_bees.sql", "-- Why.\nCREATE TABLE b (x int);\n")
    #expect(
      try fixture.refusal()
        == "0002_create_bees.sql was applied under the name 0002_create_b.sql: give the file its name back")
  }

  @Test func `a schema newer than the program is refused`() throws {
    fixture.writeTwo()
    try fixture.migrator().migrate(fixture.connection)
    fixture.remove("0002_create_b.sql")
    let sentence = try fixture.refusal()
    #expect(sentence.contains("migrated to 0002_create_b by a newer upmc; this one knows migrations up to 0001"))
  }

  @Test func `a newer schema that says it suits this program is accepted, with nothing to do`() throws {
    fixture.write("0001_create_a.sql", "-- Why.\nCREATE TABLE a (x int);\n")
    let old = try fixture.migrator()
    fixture.write("0002_create_b.sql", "-- Why.\n-- upmc:oldest-program 0001\nCREATE TABLE b (x int);\n")
    #expect(try fixture.migrator().migrate(fixture.connection) == 2)
    #expect(try old.pending(fixture.connection).isEmpty)
    #expect(try old.migrate(fixture.connection) == 0)
    #expect(try old.newerSchema(fixture.connection) == 2)
    #expect(try fixture.migrator().newerSchema(fixture.connection) == nil)
  }

  @Test func `one file that does not suit this program is enough to refuse the schema`() throws {
    fixture.write("0001_create_a.sql", "-- Why.\nCREATE TABLE a (x int);\n")
    let oldest = try fixture.migrator()
    fixture.write("0002_create_b.sql", "-- Why.\n-- upmc:oldest-program 0001\nCREATE TABLE b (x int);\n")
    let old = try fixture.migrator()
    fixture.write("0003_create_c.sql", "-- Why.\n-- upmc:oldest-program 0002\nCREATE TABLE c (x int);\n")
    try fixture.migrator().migrate(fixture.connection)
    #expect(throws: Never.self) { try old.pending(fixture.connection) }
    let refusal = try #require(throws: MigratorError.self) { try oldest.pending(fixture.connection) }
    #expect(refusal.description.contains("migrated to 0003_create_c by a newer upmc"))
  }

  @Test func `a file newer than the program is refused`() throws {
    fixture.writeTwo()
    #expect(try fixture.refusal(known: 1).hasPrefix("0002_create_b.sql is newer than this upmc"))
  }

  @Test func `a missing file is refused, in the middle and at the end`() throws {
    fixture.writeTwo()
    #expect(try fixture.refusal(known: 3) == "migration 0003 is missing: restore the directory as it was delivered")
    fixture.remove("0001_create_a.sql")
    #expect(try fixture.refusal(known: 2).hasPrefix("migration 0001 is missing"))
  }

  @Test func `a row removed by hand is refused`() throws {
    fixture.writeTwo()
    try fixture.migrator().migrate(fixture.connection)
    try fixture.connection.script("DELETE FROM upmc_migrations WHERE version = 1")
    #expect(try fixture.refusal().contains("but not 0001_create_a.sql"))
  }

  @Test func `two files of one number are refused`() throws {
    fixture.writeTwo()
    fixture.write("0002_create_c.sql", "CREATE TABLE c ()")
    #expect(try fixture.refusal().hasPrefix("0002_create_c.sql has a number that another migration has"))
  }

  @Test(arguments: ["1_a.sql", "0001.sql", "0001_.sql", "0001_Create.sql", "0000_a.sql", "0001-a.sql", "x001_a.sql"])
  func `a file with another form of name is refused`(name: String) throws {
    fixture.write(name, "SELECT 1")
    #expect(try fixture.refusal().hasPrefix("\(name) is not named like a migration"))
  }

  @Test func `other files are left alone`() throws {
    fixture.writeTwo()
    TemporaryDirectory.write("\(fixture.directory)/README.md", "")
    TemporaryDirectory.write("\(fixture.directory)/.0001_swap.sql", "")
    #expect(try fixture.migrator().migrations.count == 2)
  }

  @Test func `a server that is too old is refused with a remedy`() {
    #expect(Migrator.objection(toServer: 150_000) == nil)
    #expect(Migrator.objection(toServer: 0) == nil)
    let sentence = Migrator.objection(toServer: 140_009)?.description ?? ""
    #expect(sentence.hasPrefix("PostgreSQL 14 is too old"), "\(sentence)")
    #expect(sentence.contains("version 15 or newer"), "\(sentence)")
  }

  // MARK: Finding

  @Test func `a configured directory that is not there is refused, and nothing else is tried`() throws {
    let error = try #require(throws: MigratorError.self) {
      try MigratorFiles.locate(configured: "/nonexistent/Migrations")
    }
    #expect(error.description.contains("/nonexistent/Migrations"))
    #expect(error.description.contains("UPMC_MIGRATIONS_DIR"))
    #expect(try MigratorFiles.locate(configured: fixture.directory) == fixture.directory)
  }

  @Test func `the migrations of this program run on an empty database, and it knows them all`() throws {
    let migrator = try Migrator(directory: TestDatabase.migrationsDirectory)
    #expect(migrator.migrations.count == Migrator.newestKnownVersion)
    #expect(try migrator.migrate(fixture.connection) == Migrator.newestKnownVersion)
    #expect(try migrator.pending(fixture.connection).isEmpty)
  }
}
