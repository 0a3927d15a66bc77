internal import FoundationEssentials
internal import Postgres
package import Store

/// Restores a backup to an empty database and prepares it for serving.
///
/// ```
///   empty ── mark ──► marked ── pg_restore, all or nothing ──► filled ── migrate, settle, unmark ──► ready
///     └ not empty: refused             └ failed: still empty, retry             └ interrupted: retry, it continues
/// ```
package enum Restore {
  /// Number of SEQNOs skipped, because messages may have been sent after the backup was made.
  package static let seqnosAhead: Int64 = 1_000_000

  /// Checks that a backup can be read; call it before a database is made for it.
  package static func checkFile(_ file: String) throws(CareError) {
    guard FileManager.default.isReadableFile(atPath: file) else {
      throw CareError("\(file) cannot be read: name a backup that `upmc backup` has made.")
    }
  }

  /// Returns what a backup is known by while its restore is unfinished: it may be in another directory the next time.
  package static func name(of file: String) -> String {
    let name = file.split(separator: "/").last.map(String.init) ?? file
    return "\(name) (\(FileStatus(file)?.bytes ?? 0) bytes)"
  }

  /// Restores a backup into an empty database, or goes on where an interrupted restore of the same backup ended.
  /// - Parameters:
  ///   - migrations: directory of the migrations; nil for the usual places.
  ///   - ahead: number of SEQNOs to skip.
  ///   - report: called with a description of each step.
  package static func bring(
    _ file: String, into url: String, migrations: String?, ahead: Int64 = seqnosAhead, report: (String) -> Void
  ) throws -> Restoration.Settled {
    try checkFile(file)
    let program = try PostgresProgram("pg_restore")
    let connection = try Connection(url)
    let tables = try connection.run(Restoration.tables())
    let isUnfinished = try connection.run(Restoration.isUnfinished())
    if tables > 0, !isUnfinished {
      throw CareError(
        "The database \(Connection.place(of: url)) is not empty (\(tables) tables and the like). Nothing was changed: "
          + "make a new one with `createdb`, and name it in UPMC_DATABASE_URL.")
    }
    if tables > 0, let begun = try connection.run(Restoration.backup()), begun != name(of: file) {
      throw CareError(
        "The database \(Connection.place(of: url)) holds \(begun), whose restore was interrupted. Nothing was changed: "
          + "name that file to go on, or make a new database with `createdb` for this one.")
    }
    if tables == 0 {
      try Restoration.begin(name(of: file), on: connection)
      report("restoring \(file) into \(Connection.place(of: url))")
      do {
        try program.run(
          [
            "--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges", "--no-password",
            "--dbname=\(try connection.run(Restoration.databaseName()))", file,
          ], on: url)
      } catch let error as Interruption {
        // PostgreSQL may have been about to commit, so the mark stays: another run goes on.
        throw error
      } catch {
        // pg_restore is all or nothing, so the database is empty again: remove its mark.
        try? Restoration.giveUp(on: connection)
        throw error
      }
    } else {
      report("the backup is in the database already: going on after it")
    }
    try Migrator(directory: try MigratorFiles.locate(configured: migrations)).migrate(
      connection, didApply: { migration, _ in report("applied \(migration.fileName)") })
    return try Restoration.settle(ahead: ahead, on: connection)
  }
}
