package import Postgres
internal import Store

/// A database that answers and opens no session for this program, whoever waits: the password is wrong, the role or the
/// database does not exist, or `pg_hba.conf` has no entry for this machine. Decision 112.
package enum DatabaseRefusal {
  /// Returns what to do about the refusal; nil for every other error, among them a server that does not answer, that
  /// starts or stops, and that has too many sessions.
  package static func remedy(_ error: PostgresError) -> String? {
    guard error.origin == .connection else { return nil }
    switch error.sqlState {
    case .invalidPassword?:
      return "Correct user and password in UPMC_DATABASE_URL or its PGPASSFILE, or the server's pg_hba.conf "
        + "(PgBouncer: its auth_file)."
    case .invalidAuthorization?:
      return "Make the role (`createuser`) or correct its name in UPMC_DATABASE_URL, or let this machine in by the "
        + "server's pg_hba.conf."
    case .unknownDatabase?:
      return "Make the database (`createdb`), or correct its name in UPMC_DATABASE_URL."
    case .insufficientPrivilege?:
      return "Let the role of UPMC_DATABASE_URL own the database, or GRANT CONNECT on it to the role."
    default: return nil
    }
  }

  /// Returns the refusal that made the start fail; nil if something else did.
  static func find(in error: any Error) -> PostgresError? {
    let error = (error as? MigratorError)?.databaseError ?? error as? PostgresError
    guard let error, remedy(error) != nil else { return nil }
    return error
  }
}
