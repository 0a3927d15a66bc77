internal import Domain
internal import Logging
internal import Operations
internal import Postgres
internal import Reactor

/// The thread `catalog`: reloads apps and credentials when a change is announced or a lookup missed one, and at least
/// every second. A change made on the command line or on another node, such as a revoked key, counts here within that
/// time, usually at once.
final class CatalogRefresher {
  private let stopping: StopSignal
  private let catalog: Catalog

  /// Starts the thread.
  /// - Parameters:
  ///   - interval: the longest time between two reloads.
  ///   - commands: logs the changes made at the command line since its last look.
  ///   - forgive: called with each app that an operator has resumed.
  ///   - makeTurn: called once, on the thread; the closure that it returns is run after each reload.
  init(
    databaseURL: String, catalog: Catalog, interval: Duration = ServerLimits.catalogInterval,
    commands: CommandLineLog = CommandLineLog(), forgive: @escaping @Sendable (App.Number) -> Void,
    makeTurn: @escaping @Sendable () -> (Connection) throws -> Void
  ) throws {
    self.catalog = catalog
    let stopping = try StopSignal()
    self.stopping = stopping
    _ = try Thread(name: "catalog") {
      let turn = makeTurn()
      let log = Logger(label: "catalog")
      var resumptions = Resumptions()
      var usesAt = SystemClock().now
      var commands = commands
      var listening: Connection?
      var options = ConnectionOptions()
      options.applicationName = "upmc catalog"
      options.silence = ServerLimits.catalogSilence
      let worker = DatabaseWorker(databaseURL, options, stopping: stopping, pause: ServerLimits.catalogInterval) {
        error in
        log.error("apps and credentials could not be read", metadata: FailureDetails.of(error).mapValues { "\($0)" })
      }
      worker.run { connection in
        // Before the reload, so that a change is either loaded or heard of.
        if listening !== connection {
          try connection.listen(Catalog.channel)
          listening = connection
        }
        try catalog.refresh(connection)
        for app in resumptions.note(catalog.pausedApps) { forgive(app) }
        try turn(connection)
        if SystemClock().now - usesAt >= ServerLimits.keyUseInterval {
          usesAt = SystemClock().now
          try catalog.writeUses(connection)
        }
        try commands.look(connection)
        _ = try connection.notifications(waitingAtMost: interval, or: catalog.wanted)
        catalog.wanted.drain()
      }
    }
  }

  /// Finds the apps that were paused at the last reload and no longer are.
  private struct Resumptions {
    private var paused: Set<App.Number> = []

    mutating func note(_ present: Set<App.Number>) -> Set<App.Number> {
      defer { paused = present }
      return paused.subtracting(present)
    }
  }

  func stop() {
    stopping.raise()
    catalog.wanted.signal()
  }
}
