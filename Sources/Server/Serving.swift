internal import Logging
internal import Operations
internal import Reactor

/// `upmc serve`: one server, from its configuration to a signal.
package enum Serving {
  /// Serves until SIGTERM or SIGINT. Call `Signals.block()` first, before any thread starts.
  /// - Throws: one sentence that says why the server cannot start and what to do.
  package static func run(_ configuration: Configuration) throws {
    LogLines.bootstrap(level: configuration.logLevel, format: configuration.logFormat)
    let log = Logger(label: "server")
    let database = try Database(configuration) { log.info("\($0)") }
    defer { database.close() }
    // One that is away is waited for: machines start in any order.
    let isThere: Void? = try DatabasePatience.wait(configuration) {
      try database.ensureRunning()
      try database.migrate(configuration) { log.info("\($0)") }
    }
    guard isThere != nil else { return log.info("stopped") }
    var configuration = configuration
    configuration.publicDirectory = configuration.publicDirectory ?? ConsoleFiles.find()
    let server = try Server(
      configuration, databaseURL: database.url, master: try MasterKeyFile.load(configuration))
    database.keepUntilStopped { server.reload() }
    server.stop()
  }
}
