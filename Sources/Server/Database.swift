package import Postgres
internal import EmbeddedPostgres
internal import Logging
internal import Reactor
internal import Store

/// `Connection` under another name, for files in which a push network's connection type is visible too.
package typealias DatabaseConnection = Connection

/// The database of this process: the configured one, or the private one, started or adopted.
///
/// Create and close it on one thread. Close it last: a private database cuts off its remaining connections.
package final class Database {
  package let url: String
  private let embedded: EmbeddedPostgres.Handle?

  /// Opens the database. Starting a private one takes a few seconds, which `report` announces.
  package init(_ configuration: Configuration, report: @escaping (String) -> Void = { _ in }) throws {
    if let url = configuration.databaseURL {
      self.url = url
      embedded = nil
    } else {
      let handle = try EmbeddedPostgres.start(
        EmbeddedPostgresConfiguration(dataDirectory: configuration.dataDirectory), report: report)
      embedded = handle
      url = handle.url
    }
  }

  /// Brings the schema up to date. Fast when there is nothing to do; two nodes may call it at the same time.
  package func migrate(_ configuration: Configuration, report: @escaping (String) -> Void = { _ in }) throws {
    let migrator = try Migrator(directory: try MigratorFiles.locate(configured: configuration.migrationsDirectory))
    if embedded == nil { try Self.refuseTransactionPooler(url) }
    let connection = try Connection(url)
    try Self.refuseUnfinishedRestore(connection)
    try migrator.migrate(
      connection, willWait: { report("waiting for another node that is migrating") },
      isHeldUp: { report("\($0.fileName) waits for a lock that another session holds; trying again") },
      didApply: { migration, _ in report("applied \(migration.fileName)") })
    if let newer = try migrator.newerSchema(connection) {
      report("the schema (\(newer)) is newer than this upmc, which still works with it: start the new one soon")
    }
  }

  /// Checks that no restore was interrupted. When the restore is run again, it would take tables that were created in
  /// between for those of the backup, and end without restoring it.
  /// - Throws: `ServerError` if one was.
  package static func refuseUnfinishedRestore(_ connection: DatabaseConnection) throws {
    guard try connection.run(Restoration.isUnfinished()) else { return }
    throw ServerError(
      "This database is in the middle of being restored. Run `upmc restore` with the same file again, then start.")
  }

  /// Checks that the server is not a pooler in transaction mode, which loses session state that this program depends
  /// on.
  /// - Throws: `ServerError` if it is one.
  package static func refuseTransactionPooler(_ url: String) throws {
    if try Pooling.lendsSessions(url) {
      throw ServerError("\(Connection.place(of: url)): \(Pooling.complaint). \(Pooling.remedy)")
    }
  }

  /// Restarts the private server if it has died. Cheap when it runs.
  package func ensureRunning() throws {
    _ = try embedded?.ensureRunning()
  }

  /// Waits for a stop signal, and meanwhile restarts the private server if it dies.
  package func keepUntilStopped(reload: () -> Void = {}) {
    let log = Logger(label: "database")
    while true {
      switch Signals.wait(atMost: Self.watchInterval) {
      case .stop: return
      case .reload: reload()
      case nil: break
      }
      do {
        try ensureRunning()
      } catch {
        log.error("the private database cannot be started again", metadata: ["error": "\(error)"])
      }
    }
  }

  /// The interval at which the private server is checked. Together with the time it takes to restart, this is the
  /// longest that a request waits for it.
  private static let watchInterval: Duration = .milliseconds(500)

  /// Closes a private database, which stops when its last user does so.
  package func close() {
    do {
      try embedded?.stop()
    } catch {
      Logger(label: "database").error("the private database was not stopped", metadata: ["error": "\(error)"])
    }
  }
}
