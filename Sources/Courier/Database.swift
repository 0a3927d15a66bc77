internal import Logging
internal import Postgres

/// The database connection of one of the courier's threads: made when it is needed, and made anew when it was lost.
final class Database {
  private let url: String
  private let log: Logger
  private var connection: Connection?

  init(_ url: String, _ log: Logger) {
    self.url = url
    self.log = log
  }

  func present() throws(PostgresError) -> Connection {
    if let connection { return connection }
    var options = ConnectionOptions()
    options.applicationName = "upmc \(log.label)"
    options.silence = CourierLimits.silence
    let made = try Connection(url, options: options)
    connection = made
    return made
  }

  /// Says what went wrong. The caller tries again a little later: everything begins from what is committed.
  func failed(_ error: any Error) {
    log.error("the database failed; trying again", metadata: ["error": "\(error)"])
    if let error = error as? PostgresError, error.isConnectionLost { connection = nil }
  }
}
