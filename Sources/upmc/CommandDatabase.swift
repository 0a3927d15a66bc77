internal import FoundationEssentials
internal import Operations
internal import Postgres
internal import Server

/// The database as commands see it.
struct CommandDatabase {
  let connection: Connection
  let configuration: Configuration

  /// Only for those who seal or open secrets: with a database of one's own it must be configured. Nothing is sealed with
  /// a key that does not open what is sealed already.
  func masterKey() throws -> MasterKey {
    try MasterKeyFile.load(configuration, for: connection)
  }
}

/// Runs `body` with a connection to the configured database, or to the private one: beside a running server, or starting
/// the private database for the moment.
/// - Parameter migrates: brings a private database up to date first, as the server would.
func withDatabase(migrates: Bool = true, _ body: (CommandDatabase) throws -> Void) throws {
  let configuration = try Configuration(environment: ProcessInfo.processInfo.environment)
  let database = try Database(configuration, report: { Output.complain($0) })
  defer { database.close() }
  if migrates, configuration.databaseURL == nil { try database.migrate(configuration) }
  var options = ConnectionOptions()
  options.applicationName = "upmc command"
  try body(
    CommandDatabase(connection: try Connection(database.url, options: options), configuration: configuration))
}
