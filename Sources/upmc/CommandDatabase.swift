internal import Domain
internal import FoundationEssentials
internal import Operations
internal import Postgres
internal import Server
internal import Store
internal import Time

/// The database connection of a command.
struct CommandDatabase {
  let connection: Connection
  let configuration: Configuration

  /// Current time, by the database's clock, which all nodes share.
  var now: Timestamp { get throws(PostgresError) { try connection.run(WallClock.now()) } }

  /// Loads the master key, which is needed only to encrypt or decrypt secrets. With an external database it must be
  /// configured.
  /// - Throws: an error if the key does not decrypt the stored secrets, so that nothing is encrypted with a wrong key.
  func masterKey() throws -> MasterKey {
    try MasterKeyFile.load(configuration, for: connection)
  }

  /// The seal for the content of confidential messages; nil if the master key is not available.
  var contentSeal: ContentSeal? {
    guard let master = try? masterKey() else { return nil }
    return try? SigningKeys.load(connection, master: master).contents
  }
}

extension Database {
  /// Opens the database for a command. A missing private database is an error, because only `serve` and `demo` create
  /// one; otherwise a command run in the wrong directory would show an empty database.
  convenience init(for configuration: Configuration, report: @escaping (String) -> Void = { _ in }) throws {
    guard configuration.databaseURL != nil || PrivateDatabase.exists(in: configuration.dataDirectory) else {
      throw CommandError(
        "There is no database in \(configuration.dataDirectory) (UPMC_DATA_DIR). Run the command where the server runs, "
          + "with its variables (Debian package: `sudo upmcctl …`), or name its database in UPMC_DATABASE_URL; "
          + "`upmc serve` creates a private one.")
    }
    try self.init(configuration, report: report)
  }
}

/// Runs `body` with a connection to the configured database, or to the private one, which is started temporarily unless
/// a server runs it.
/// - Parameter migrates: true to first bring a private database up to date, as the server would.
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

extension Configuration {
  /// Returns the settings in the environment of the command.
  static func ofCommand() throws -> Configuration {
    try Configuration(environment: ProcessInfo.processInfo.environment)
  }
}
