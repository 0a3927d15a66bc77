package import Postgres

/// Why the schema was not brought up to date. Each description names the fault and, unless PostgreSQL reported it, its
/// remedy.
package enum MigratorError: Error, Sendable, CustomStringConvertible {
  case noDirectory([String], isConfigured: Bool)
  case unreadable(String)
  case badFileName(String)
  case sameNumberTwice(String)
  case fileMissing(Int)
  case fileNewerThanProgram(Migration, known: Int)
  case schemaNewerThanProgram(Int, String, known: Int)
  case recordMissing(Migration)
  case renamed(Migration, recorded: String)
  case changed(Migration)
  case oldServer(Int32)
  case wrongEncoding(String)
  case foreignTables([String])
  case failed(Migration, PostgresError)
  case database(PostgresError)

  /// The error of the database that ended the migration; nil if something else did.
  package var databaseError: PostgresError? {
    switch self {
    case .failed(_, let error), .database(let error): error
    default: nil
    }
  }

  package var description: String {
    switch self {
    case .noDirectory(let places, let isConfigured):
      let advice = isConfigured ? "correct UPMC_MIGRATIONS_DIR" : "set UPMC_MIGRATIONS_DIR to where it is"
      return "the directory with the migrations was not found (\(places.joined(separator: ", "))): \(advice)"
    case .unreadable(let path):
      return "\(path) cannot be read: give the user of upmc the right to read it"
    case .badFileName(let file):
      return "\(file) is not named like a migration: it must look like 0001_verb_phrase.sql"
    case .sameNumberTwice(let file):
      return "\(file) has a number that another migration has already: renumber the newer one"
    case .fileMissing(let version):
      return "migration \(Migration.digits(version)) is missing: restore the directory as it was delivered"
    case .fileNewerThanProgram(let migration, let known):
      return """
        \(migration.fileName) is newer than this upmc, which knows migrations up to \(Migration.digits(known)): \
        start the upmc that came with it
        """
    case .schemaNewerThanProgram(let version, let name, let known):
      return """
        the database was migrated to \(Migration.digits(version))_\(name) by a newer upmc; this one knows migrations up \
        to \(Migration.digits(known)): start the newer upmc, or restore a backup made before
        """
    case .recordMissing(let migration):
      return """
        the database has later migrations, but not \(migration.fileName): it was changed by hand; restore the row in \
        upmc_migrations or a backup
        """
    case .renamed(let migration, let recorded):
      return """
        \(migration.fileName) was applied under the name \(Migration.digits(migration.version))_\(recorded).sql: \
        give the file its name back
        """
    case .changed(let migration):
      return """
        \(migration.fileName) was changed after it was applied: restore it as it was and put the change into a new \
        migration
        """
    case .oldServer(let version):
      return """
        PostgreSQL \(version / 10_000) is too old; nothing was made in the database: use version \
        \(ServerVersion.oldestMajor) or newer. For a private database, install that and move postgres in UPMC_DATA_DIR \
        away
        """
    case .wrongEncoding(let encoding):
      return """
        the database has the encoding \(encoding), which cannot hold every text; nothing was made in it: make one with \
        `createdb --template=template0 --encoding=UTF8` (ENCODING 'UTF8' in SQL), and name it in UPMC_DATABASE_URL
        """
    case .foreignTables(let names):
      return """
        the database holds tables of another program: \(names.prefix(8).joined(separator: ", ")); nothing was made in it: \
        give UPMC a database of its own (`createdb`), and name it in UPMC_DATABASE_URL
        """
    case .failed(let migration, let error):
      return "\(migration.fileName)\(Self.line(error, migration)) failed, \(Self.aftermath(migration)): \(error)"
    case .database(let error):
      return "\(error)"
    }
  }

  /// Returns the line of the file at which the server reported the error, as `, line 7,`; empty if it reported none.
  private static func line(_ error: PostgresError, _ migration: Migration) -> String {
    guard let position = error.position else { return "" }
    let before = migration.sql.unicodeScalars.prefix(max(0, position - 1))
    return ", line \(before.count { $0 == "\n" } + 1),"
  }

  private static func aftermath(_ migration: Migration) -> String {
    migration.runsInTransaction
      ? "nothing of it was kept" : "it ran without a transaction, so look what it left behind before starting again"
  }
}
