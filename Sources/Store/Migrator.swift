package import Postgres
internal import Reactor

/// Brings a database's schema up to date from the files of `Migrations/`, forward only.
///
/// Each file runs once, in the order of its number, and is recorded in `upmc_migrations` in the same transaction.
/// What is recorded must be what the files say: a changed, renamed or missing file, and a schema newer than this program,
/// are refused before anything is touched. When nothing is to be done, one query tells.
///
/// Two starters are safe: whoever holds the advisory lock works, the other waits and then finds nothing to do.
/// A file that says `-- upmc:no-transaction` in its opening comment holds a single statement that PostgreSQL does not
/// allow in a transaction (`CREATE INDEX CONCURRENTLY …`); it must be harmless to run again, for a crash between the
/// statement and its record repeats it.
package struct Migrator: Sendable {
  /// The newest migration this program was written for. Whoever adds a file to `Migrations/` raises it.
  package static let newestKnownVersion = 12

  /// All files, in order; numbered from 1 without gaps.
  package let migrations: [Migration]

  /// Takes over what `MigratorFiles` has read.
  init(migrations: [Migration]) {
    self.migrations = migrations
  }

  /// Reads the files.
  /// - Parameter newestKnown: what `newestKnownVersion` is for; another value in tests.
  package init(directory: String, newestKnown: Int = newestKnownVersion) throws(MigratorError) {
    self.init(migrations: try MigratorFiles.read(directory, newestKnown: newestKnown))
  }

  /// What `migrate` would run, in order; changes nothing.
  package func pending(_ connection: Connection) throws(MigratorError) -> [Migration] {
    try MigratorPlan.pending(migrations, applied: applied(connection))
  }

  /// Runs what is pending.
  /// - Parameters:
  ///   - connection: straight to the server: a pooler in transaction mode cannot hold the lock.
  ///   - willWait: called once when another starter holds the lock.
  ///   - didApply: called after each file.
  /// - Returns: how many files were run.
  @discardableResult
  package func migrate(
    _ connection: Connection, willWait: () -> Void = {}, didApply: (Migration, Duration) -> Void = { _, _ in }
  ) throws(MigratorError) -> Int {
    guard try !pending(connection).isEmpty else { return 0 }
    try lock(connection, willWait)
    defer { _ = try? connection.run(Self.unlock, Self.lockParameters) }
    // Another starter may have done the work while we waited.
    let pending = try pending(connection)
    for migration in pending {
      let clock = SystemClock()
      let start = clock.now
      try apply(migration, connection, since: start, clock)
      didApply(migration, clock.now - start)
    }
    return pending.count
  }

  // MARK: One file

  private func apply(
    _ migration: Migration, _ connection: Connection, since start: Instant, _ clock: SystemClock
  ) throws(MigratorError) {
    do {
      guard migration.runsInTransaction else {
        // As a prepared statement: the server itself then refuses a second statement in the file.
        try connection.run(Statement("migration \(migration.version)", migration.sql))
        try connection.script(Self.createTable)
        try connection.run(Self.record, migration.row(clock.now - start))
        return
      }
      try connection.transaction { () throws(PostgresError) in
        try connection.script(Self.createTable)
        try connection.script(migration.sql)
        try connection.run(Self.record, migration.row(clock.now - start))
      }
    } catch {
      throw .failed(migration, error)
    }
  }

  private func applied(_ connection: Connection) throws(MigratorError) -> [MigratorPlan.Applied] {
    do {
      let rows = try connection.run(Self.select)
      return (0..<rows.count).map { row in
        MigratorPlan.Applied(version: Int(rows.int32(row, 0)), name: rows.text(row, 1), sha256: rows.bytes(row, 2))
      }
    } catch {
      // A fresh database: the table comes with the first migration.
      if error.sqlState == .undefinedTable { return [] }
      throw .database(error)
    }
  }

  // MARK: The lock

  /// Waits in short steps: a session that waits in one long statement keeps a snapshot, and `CREATE INDEX CONCURRENTLY`
  /// of the one that works would wait for that snapshot for ever.
  private func lock(_ connection: Connection, _ willWait: () -> Void) throws(MigratorError) {
    var hasWaited = false
    while true {
      do {
        return try connection.transaction { () throws(PostgresError) in
          try connection.script("SET LOCAL lock_timeout = '200ms'")
          try connection.run(Self.lock, Self.lockParameters)
        }
      } catch {
        guard error.sqlState == .lockNotAvailable else { throw .database(error) }
        if !hasWaited { willWait() }
        hasWaited = true
      }
    }
  }

  private static var lockParameters: Parameters {
    var parameters = Parameters()
    // "upmcmigr" in ASCII: ours alone among whoever shares the database.
    parameters.append(Int64(0x7570_6D63_6D69_6772))
    return parameters
  }

  // MARK: Statements

  static let createTable = """
    CREATE TABLE IF NOT EXISTS upmc_migrations (
      version     integer PRIMARY KEY,
      name        text NOT NULL,
      sha256      bytea NOT NULL CONSTRAINT upmc_migrations_sha256_is_32_bytes CHECK (octet_length(sha256) = 32),
      applied_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
      duration_ms integer NOT NULL
    )
    """
  /// Held by the session, not by a transaction: some migrations have none.
  private static let lock = Statement("migrator_lock", "SELECT pg_advisory_lock($1)")
  private static let unlock = Statement("migrator_unlock", "SELECT pg_advisory_unlock($1)")
  private static let select = Statement(
    "migrator_select", "SELECT version, name, sha256 FROM upmc_migrations ORDER BY version")
  private static let record = Statement(
    "migrator_record", "INSERT INTO upmc_migrations (version, name, sha256, duration_ms) VALUES ($1, $2, $3, $4)")
}

extension Migration {
  /// Its row in `upmc_migrations`.
  fileprivate func row(_ duration: Duration) -> Parameters {
    var parameters = Parameters()
    parameters.append(Int32(clamping: version))
    parameters.append(text: name)
    parameters.append(bytes: sha256)
    parameters.append(Int32(clamping: duration.nanoseconds / 1_000_000))
    return parameters
  }
}
