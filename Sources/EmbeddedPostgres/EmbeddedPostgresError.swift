package import Postgres
package import Reactor

/// The reason why there is no private database. Each description says what happened and what to do about it.
package enum EmbeddedPostgresError: Error, Sendable, CustomStringConvertible {
  case programsNotFound(version: String?, looked: [String])
  case switchProgramNotFound
  case noAccount(uid: UInt32)
  case unknownUser(String)
  case userIsRoot
  case otherOwner(path: String, owner: String)
  case unreachable(path: String, user: String)
  case badLocation(file: String)
  case cannotWrite(path: String, reason: String)
  case locked(String)
  case usedElsewhere(String)
  case initdbFailed(reason: String)
  case startFailed(reason: String, log: String)
  case startTookTooLong(log: String)
  case stopTookTooLong(pid: Int32)
  case refused(PostgresError)
  case system(SystemError)

  package var description: String {
    switch self {
    case .programsNotFound(let version, let looked):
      let package = version.map { "postgresql-\($0)" } ?? "postgresql"
      let cause =
        version.map { "the private database was made by PostgreSQL \($0), whose programs" }
        ?? "the programs of PostgreSQL \(ServerVersion.oldestMajor) or newer"
      return """
        \(cause) were not found (\(looked.joined(separator: ", "))): install the package \(package), or set \
        UPMC_DATABASE_URL to a server you run
        """
    case .switchProgramNotFound:
      return "setpriv was not found, so root cannot run the database as another user: install the package util-linux"
    case .noAccount(let uid):
      return "user \(uid) has no entry in /etc/passwd, which PostgreSQL needs: add one, or set UPMC_DATABASE_URL"
    case .unknownUser(let name):
      return "there is no user \(name) to run the private database as: name another one, or set UPMC_DATABASE_URL"
    case .userIsRoot:
      return "PostgreSQL does not run as root: name another user for the private database"
    case .otherOwner(let path, let owner):
      return "\(path) belongs to \(owner): start upmc as that user or as root, or choose another UPMC_DATA_DIR"
    case .unreachable(let path, let user):
      return "user \(user), who runs the private database, cannot reach \(path): move it to where they can"
    case .badLocation(let file):
      return "\(file) does not name a directory: restore it, or remove it if the private database may start empty"
    case .cannotWrite(let path, let reason):
      return "\(path) cannot be written (\(reason)): make it writable, or choose another UPMC_DATA_DIR"
    case .locked(let path):
      return "another upmc has been starting or stopping the private database for minutes (\(path)): look what it does"
    case .usedElsewhere(let path):
      return "\(path) is in use by an upmc in another container: stop that one first, or choose another UPMC_DATA_DIR"
    case .initdbFailed(let reason):
      return "the private database could not be made: \(reason)"
    case .startFailed(let reason, let log):
      return "the private database did not start: \(reason) (more in \(log))"
    case .startTookTooLong(let log):
      return "the private database is still not ready; look into \(log)"
    case .stopTookTooLong(let pid):
      return "the private database (process \(pid)) does not stop: look at its disk"
    case .refused(let error):
      return "the private database refused the connection: \(error)"
    case .system(let error):
      return "\(error)"
    }
  }
}
