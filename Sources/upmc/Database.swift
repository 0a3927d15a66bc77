internal import FoundationEssentials
internal import Operations
internal import Postgres
internal import Server
internal import Store

/// The database as commands see it.
struct Database {
  let connection: Connection
  let configuration: Configuration

  /// Only for those who seal or open secrets: with a database of one's own it must be configured.
  func masterKey() throws -> MasterKey {
    try MasterKeyFile.load(configuration)
  }
}

/// Runs `body` with a connection to the configured database, or to the private one: beside a running server, or starting
/// the private database for the moment.
/// - Parameter migrates: brings a private database up to date first, as the server would.
func withDatabase(migrates: Bool = true, _ body: (Database) throws -> Void) throws {
  let configuration = try Configuration(environment: ProcessInfo.processInfo.environment)
  if let url = configuration.databaseURL {
    return try body(Database(connection: try connect(url), configuration: configuration))
  }
  let server = try EmbeddedPostgres.start(dataDirectory: configuration.dataDirectory)
  // Whatever happens: the last one who uses it stops it.
  let outcome = Result {
    let connection = try connect(server.url)
    if migrates { try migrator(configuration).migrate(connection) }
    try body(Database(connection: connection, configuration: configuration))
  }
  try server.stop()
  try outcome.get()
}

/// The migrations that belong to this program.
func migrator(_ configuration: Configuration) throws -> Migrator {
  try Migrator(directory: MigratorFiles.locate(configured: configuration.migrationsDirectory))
}

private func connect(_ url: String) throws(PostgresError) -> Connection {
  var options = ConnectionOptions()
  options.applicationName = "upmc command"
  return try Connection(url, options: options)
}
