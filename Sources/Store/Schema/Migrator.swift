package import Postgres
internal import Reactor

/// Migrator of a database's schema: runs those files of `Migrations/` that have not run in the database yet. There is
/// no way back to an earlier schema.
///
/// The files run once each, in the order of their numbers. A file and its record in `upmc_migrations` share one
/// transaction, unless the file must run without. The records must match the files: a changed, renamed or missing file,
/// or a schema too new for this program, is refused before anything is changed. If there is nothing to do, one query is
/// enough to find that out.
///
/// **Upgrades while the previous program runs.** A running program never checks the schema's version again, so each
/// migration must keep that program working: a migration only adds; changes and drops wait for a later one (Decision
/// 017). A file that keeps this promise declares, for example, `-- upmc:oldest-program 0009` in its opening comment:
/// programs that know the migrations up to number 9 may also be *started* on the newer schema, because a crash in the
/// middle of an upgrade must not cost a node. Without the line, older programs are refused with a message.
///
/// A file that runs in a transaction does not queue for a lock that another session holds for long (a backup, an old
/// transaction), because every request would queue behind the file: after 200 ms without the lock, the file is rolled
/// back and retried later, until it succeeds.
///
/// Two processes may start at once: the holder of the advisory lock migrates, the other waits and then finds nothing to
/// do. A file with `-- upmc:no-transaction` in its opening comment contains statements that PostgreSQL does not allow
/// in a transaction (`CREATE INDEX CONCURRENTLY IF NOT EXISTS …`), each ended by a semicolon at the end of a line. Each
/// must be safe to repeat: after a crash before the file is recorded, all are run again. Half-built indexes are dropped
/// first.
package struct Migrator: Sendable {
  /// The newest migration this program was written for. Raise it with each file added to `Migrations/`.
  package static let newestKnownVersion = 9

  /// All files, in order; numbered from 1 without gaps.
  package let migrations: [Migration]

  /// Creates a migrator for migrations that `MigratorFiles` has already read and checked.
  init(migrations: [Migration]) {
    self.migrations = migrations
  }

  /// Reads the migration files in a directory.
  /// - Parameter newestKnown: overrides `newestKnownVersion` in tests.
  package init(directory: String, newestKnown: Int = newestKnownVersion) throws(MigratorError) {
    self.init(migrations: try MigratorFiles.read(directory, newestKnown: newestKnown))
  }

  /// Returns the files that `migrate` would run, in order. Changes nothing. Throws if the records do not match the
  /// files, or if the schema is too new for this program.
  package func pending(_ connection: Connection) throws(MigratorError) -> [Migration] {
    try MigratorPlan.pending(migrations, applied: applied(connection))
  }

  /// Returns the number of the database's newest migration if it is newer than this program; otherwise nil. Does not
  /// check whether the schema permits this program: `pending` throws if it does not.
  package func newerSchema(_ connection: Connection) throws(MigratorError) -> Int? {
    let newest = try applied(connection).last?.version ?? 0
    return newest > migrations.count ? newest : nil
  }

  /// Runs the pending migrations. Blocks until all have run, however long it must wait for locks. If it throws, the
  /// files before the failed one have been applied.
  /// - Parameters:
  ///   - connection: must not go through a pooler in transaction mode, which would lose the lock.
  ///   - willWait: called once if another process is migrating, before waiting for it.
  ///   - isHeldUp: called each time a file must be retried, because it did not get a lock in time or met a conflict.
  ///   - didApply: called after each file, with the time that it needed, including retries.
  /// - Returns: the number of files that were run; 0 if there was nothing to do.
  /// - Throws: what `pending` throws; the objection if `objection(to:)` finds the database unsuitable; or `.failed` for
  ///   a file.
  @discardableResult
  package func migrate(
    _ connection: Connection, willWait: () -> Void = {}, isHeldUp: (Migration) -> Void = { _ in },
    didApply: (Migration, Duration) -> Void = { _, _ in }
  ) throws(MigratorError) -> Int {
    guard try !pending(connection).isEmpty else { return 0 }
    try lock(connection, willWait)
    defer { _ = try? connection.run(Self.unlock, Self.lockParameters) }
    // Another process may have migrated while we waited.
    let pending = try pending(connection)
    // Under the lock: without it, another process's new tables could be mistaken for those of a foreign program.
    if let objection = try objection(to: connection) { throw objection }
    for migration in pending {
      let clock = SystemClock()
      let start = clock.now
      var tries = 0
      while try !apply(migration, connection, since: start, clock) {
        isHeldUp(migration)
        tries += 1
        try pause(connection, tries)
      }
      didApply(migration, clock.now - start)
    }
    return pending.count
  }

  // MARK: One file

  /// Runs one file and records it.
  /// - Returns: false if the file must be retried, because a lock could not be obtained in time, or because of a
  ///   deadlock or another conflict. Its transaction was rolled back then; without a transaction, its earlier
  ///   statements stay.
  private func apply(
    _ migration: Migration, _ connection: Connection, since start: Instant, _ clock: SystemClock
  ) throws(MigratorError) -> Bool {
    do {
      guard migration.runsInTransaction else {
        for single in migration.singles {
          if let index = single.index { try drop(halfBuilt: index, connection) }
          // Run each statement on its own, because a script would be a single transaction.
          try connection.run(Statement("migration \(migration.version)", single.sql, isKept: false))
        }
        try connection.script(Self.createTable)
        try connection.run(Self.record, migration.row(clock.now - start))
        return true
      }
      try connection.transaction { () throws(PostgresError) in
        try connection.script("SET LOCAL lock_timeout = '200ms'")
        try connection.script(Self.createTable)
        try connection.script(migration.sql)
        try connection.run(Self.record, migration.row(clock.now - start))
      }
      return true
    } catch {
      if error.isRetryable || error.sqlState == .lockNotAvailable { return false }
      throw .failed(migration, error)
    }
  }

  /// Drops an index that was left invalid by an interrupted build; the next statement's `IF NOT EXISTS` would mistake
  /// it for complete. Does nothing if the index is valid or does not exist.
  private func drop(halfBuilt index: String, _ connection: Connection) throws(PostgresError) {
    guard try connection.run(Self.halfBuilt, Parameters(index)).decodeOne({ $0.bool() }) else { return }
    try connection.script("DROP INDEX CONCURRENTLY IF EXISTS \(index)")
  }

  /// Waits, so that sessions that queued behind our lock request can proceed: one second after the first try, then
  /// twice as long after each further try, up to 8 seconds, because the holder of the lock may be a backup.
  private func pause(_ connection: Connection, _ tries: Int) throws(MigratorError) {
    do {
      try connection.script("SELECT pg_sleep(\(min(16, 1 << min(tries, 5))) * 0.5)")
    } catch {
      throw .database(error)
    }
  }

  private func applied(_ connection: Connection) throws(MigratorError) -> [MigratorPlan.Applied] {
    do {
      let rows = try connection.run(Self.select)
      return rows.decode { row in
        MigratorPlan.Applied(
          version: Int(row.int32()), name: row.text(), sha256: row.bytes(),
          oldestProgram: row.optionalInt32().map(Int.init))
      }
    } catch {
      // A new database: the table is created by the first migration.
      if error.sqlState == .undefinedTable { return [] }
      throw .database(error)
    }
  }

  // MARK: The lock

  /// Obtains the advisory lock by polling. A session that waited for it inside a statement would hold a snapshot, for
  /// which the other process's `CREATE INDEX CONCURRENTLY` would wait: a deadlock.
  private func lock(_ connection: Connection, _ willWait: () -> Void) throws(MigratorError) {
    var hasWaited = false
    while true {
      do {
        if try connection.run(Self.lock, Self.lockParameters).decodeOne({ $0.bool() }) { return }
      } catch {
        throw .database(error)
      }
      if !hasWaited { willWait() }
      hasWaited = true
      Polling.rest(.milliseconds(100))
    }
  }

  private static var lockParameters: Parameters {
    var parameters = Parameters()
    // "upmcmigr" in ASCII, so that the number does not collide with other programs' locks in a shared database.
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
      duration_ms integer NOT NULL,
      -- What the file said about older programs.
      oldest_program integer
    )
    """
  /// A session lock, because some migrations run outside a transaction.
  private static let lock = Statement("migrator_lock", "SELECT pg_try_advisory_lock($1)")
  private static let unlock = Statement("migrator_unlock", "SELECT pg_advisory_unlock($1)")
  private static let halfBuilt = Statement(
    "migrator_half_built",
    "SELECT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid)")
  private static let select = Statement(
    "migrator_select",
    "SELECT version, name, sha256, oldest_program FROM upmc_migrations ORDER BY version")
  private static let record = Statement(
    "migrator_record",
    "INSERT INTO upmc_migrations (version, name, sha256, duration_ms, oldest_program) VALUES ($1, $2, $3, $4, $5)")
}

extension Migration {
  /// Returns the parameters of the row in `upmc_migrations` that records the migration.
  fileprivate func row(_ duration: Duration) -> Parameters {
    return Parameters(
      Int32(clamping: version), name, sha256, Int32(clamping: duration.nanoseconds / 1_000_000),
      oldestProgram.map { Int32(clamping: $0) })
  }
}
