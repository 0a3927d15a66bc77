package import Postgres
internal import Store

/// A database that answers but refuses to open a session, however long this program waits: the password is wrong, the
/// role or the database does not exist, or `pg_hba.conf` has no entry for this machine. Decision 112.
package enum DatabaseRefusal {
  /// Returns what to do about the refusal; nil for every other error, including those of a server that does not answer,
  /// is starting or stopping, or has too many sessions.
  package static func remedy(_ error: PostgresError) -> String? {
    guard error.origin == .connection else { return nil }
    switch error.sqlState {
    case .invalidPassword?:
      return "Correct the user and the password in UPMC_DATABASE_URL or its PGPASSFILE, or the server's pg_hba.conf "
        + "(PgBouncer: its auth_file)."
    case .invalidAuthorization?:
      return "Create the role (`createuser`) or correct its name in UPMC_DATABASE_URL, or allow this machine in the "
        + "server's pg_hba.conf."
    case .unknownDatabase?:
      return "Create the database (`createdb`), or correct its name in UPMC_DATABASE_URL."
    case .insufficientPrivilege?:
      return "Make the role of UPMC_DATABASE_URL the owner of the database, or GRANT it CONNECT on the database."
    default: return nil
    }
  }

  /// Returns the refusal that made the start fail; nil if the cause was another error.
  static func find(in error: any Error) -> PostgresError? {
    let error = (error as? MigratorError)?.databaseError ?? error as? PostgresError
    guard let error, remedy(error) != nil else { return nil }
    return error
  }
}
