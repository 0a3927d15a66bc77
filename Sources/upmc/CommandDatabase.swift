internal import Domain
internal import FoundationEssentials
internal import Operations
internal import Postgres
internal import Server
internal import Store

/// The database as commands see it.
struct CommandDatabase {
  let connection: Connection
  let configuration: Configuration

  /// What time it is: the database's clock is everybody's. Microseconds since 1970.
  var now: Int64 { get throws(PostgresError) { try connection.run(WallClock.now()) } }

  /// Only for those who seal or open secrets: with a database of one's own it must be configured. Nothing is sealed with
  /// a key that does not open what is sealed already.
  func masterKey() throws -> MasterKey {
    try MasterKeyFile.load(configuration, for: connection)
  }

  /// Seals what confidential messages say; nil where the master key is not to be had.
  var contentSeal: ContentSeal? {
    guard let master = try? masterKey() else { return nil }
    return try? SigningKeys.load(connection, master: master).contents
  }
}

extension Database {
  /// The database for a command: only `serve` and `demo` make one that is not there. Whoever is in the wrong directory
  /// would else be answered from an empty one.
  convenience init(for configuration: Configuration, report: @escaping (String) -> Void = { _ in }) throws {
    guard configuration.databaseURL != nil || PrivateDatabase.exists(in: configuration.dataDirectory) else {
      throw CommandError(
        "There is no database in \(configuration.dataDirectory) (UPMC_DATA_DIR). Run the command where the server runs, or "
          + "name its database in UPMC_DATABASE_URL; `upmc serve` makes a private one.")
    }
    try self.init(configuration, report: report)
  }
}

/// Runs `body` with a connection to the configured database, or to the private one: beside a running server, or starting
/// the private database for the moment.
/// - Parameter migrates: brings a private database up to date first, as the server would.
func withDatabase(migrates: Bool = true, _ body: (CommandDatabase) throws -> Void) throws {
  let configuration = try Configuration(environment: ProcessInfo.processInfo.environment)
  let database = try Database(for: configuration, report: { Output.complain($0) })
  defer { database.close() }
  if migrates, configuration.databaseURL == nil { try database.migrate(configuration) }
  var options = ConnectionOptions()
  options.applicationName = "upmc command"
  try body(
    CommandDatabase(connection: try Connection(database.url, options: options), configuration: configuration))
}
