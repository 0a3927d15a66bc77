internal import Logging
internal import Operations
internal import Postgres
internal import Reactor
internal import Store

/// `upmc serve`: runs a server until a stop signal arrives.
package enum Serving {
  /// Serves until SIGTERM or SIGINT. Call `Signals.block()` first, before any thread starts.
  /// - Throws: one sentence that says why the server cannot start and what to do.
  package static func run(_ configuration: Configuration) throws {
    LogLines.bootstrap(level: configuration.logLevel, format: configuration.logFormat)
    let log = Logger(label: "server")
    let configuration = try Preflight.check(configuration)
    if configuration.publicDirectory == nil { log.warning("\(ConsoleDirectory.absence)") }
    let database = try Database(configuration) { log.info("\($0)") }
    defer { database.close() }
    // Machines may start in any order, so wait for a database that cannot be reached yet.
    ServiceNotifier.status("Waiting for the database.")
    let master = try DatabaseTimeouts.wait(configuration) {
      try database.ensureRunning()
      ServiceNotifier.status("Preparing the database.")
      // Checked before a migration changes anything, because a server with the wrong key cannot start.
      let master = try MasterKeyFile.load(configuration, for: DatabaseConnection(database.url))
      try database.migrate(configuration) { log.info("\($0)") }
      return master
    }
    guard let master else { return log.info("stopped") }
    let server = try Server(configuration, databaseURL: database.url, master: master)
    greet(configuration, server, databaseURL: database.url, log)
    ServiceNotifier.ready("Serving at \(server.address).")
    database.keepUntilStopped { server.reload() }
    ServiceNotifier.stopping()
    server.stop()
  }

  /// Tells the operator how to sign in to the console for the first time, if nobody can sign in yet. A failure here
  /// does not stop the server.
  private static func greet(_ configuration: Configuration, _ server: Server, databaseURL: String, _ log: Logger) {
    guard configuration.publicDirectory != nil else { return }
    do {
      let connection = try Connection(databaseURL)
      let link = try ConsoleAccounts.firstLink(on: connection, now: connection.run(WallClock.now()))
      guard let link else { return }
      let address = configuration.publicURL ?? "http://127.0.0.1:\(server.address.port)"
      let first = FirstSignIn(address: address + link.path, account: link.account, configuration: configuration)
      let terminal = StandardError.isTerminal ? { (text: String) in StandardError.write(Array(text.utf8)) } : nil
      log.notice("\(first.tell(terminal: terminal))")
    } catch {
      log.warning("no link for a first account: \(error)")
    }
  }
}
