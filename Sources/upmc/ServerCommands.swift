internal import FoundationEssentials
internal import Reactor
internal import Server

/// The way from the command line to the module Server.
enum ServerCommands {
  /// Serves until SIGTERM or SIGINT.
  static func serve() throws {
    let configuration = try Configuration(environment: ProcessInfo.processInfo.environment)
    LogLines.bootstrap(level: configuration.logLevel, format: configuration.logFormat)
    let database = try Database(configuration, report: { Output.complain($0) })
    defer { database.close() }
    try database.migrate(configuration, report: { Output.complain($0) })
    let server = try Server(
      configuration, databaseURL: database.url, master: try MasterKeyFile.load(configuration))
    while Signals.wait() != .stop {}
    server.stop()
  }

  static func demo() throws {
    throw CommandError("The demonstration is not part of this program yet; start `upmc serve`.")
  }
}
