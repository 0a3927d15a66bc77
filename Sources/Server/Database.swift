package import Postgres
internal import EmbeddedPostgres
internal import Logging
internal import Reactor
internal import Store

/// A connection to the database, where connections to push networks are at hand too.
package typealias DatabaseConnection = Connection

/// The database that this process works with: the configured one, or the private one, started or joined.
///
/// Made and closed on one thread. Close it last: what still uses a private database would be cut.
package final class Database {
  package let url: String
  private let embedded: EmbeddedPostgres.Handle?

  /// Opens the database. Starting a private one that is not there yet takes a few seconds, which `report` tells.
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

  /// Brings the schema up to date. Quick when there is nothing to do; two nodes may do it together.
  package func migrate(_ configuration: Configuration, report: @escaping (String) -> Void = { _ in }) throws {
    let migrator = try Migrator(directory: try MigratorFiles.locate(configured: configuration.migrationsDirectory))
    if embedded == nil { try Self.refuseLentSessions(url) }
    let connection = try Connection(url)
    guard try !connection.run(Restoration.isUnfinished()) else {
      throw ServerError(
        "This database is in the middle of being restored. Run `upmc restore` with the same file again, then start.")
    }
    try migrator.migrate(
      connection, willWait: { report("waiting for another node that is migrating") },
      isHeldUp: { report("\($0.fileName) waits for a lock that another session holds; trying again") },
      didApply: { migration, _ in report("applied \(migration.fileName)") })
    if let newer = try migrator.newerSchema(connection) {
      report("the schema (\(newer)) is newer than this upmc, which still works with it: start the new one soon")
    }
  }

  /// A pooler that lends sessions for a transaction loses what a session of ours keeps: with it nothing would work right.
  package static func refuseLentSessions(_ url: String) throws {
    if try Pooling.lendsSessions(url) {
      throw ServerError("\(Connection.place(of: url)): \(Pooling.complaint). \(Pooling.remedy)")
    }
  }

  /// The private server is started again when it has died. Cheap when it runs.
  package func ensureRunning() throws {
    _ = try embedded?.ensureRunning()
  }

  /// Waits for a signal to stop, and meanwhile starts the private server again should it die.
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

  /// How often the private server is looked at: what a request waits for it at most, beside its start.
  private static let watchInterval: Duration = .milliseconds(500)

  /// Lets go of a private database; the last to do so stops it.
  package func close() {
    do {
      try embedded?.stop()
    } catch {
      Logger(label: "database").error("the private database was not stopped", metadata: ["error": "\(error)"])
    }
  }
}
