internal import APNs
internal import Domain
internal import Logging
internal import Operations
internal import Postgres
internal import Reactor

/// Thread `catalog`: reads apps and credentials again when somebody missed one, and every second at the latest. An app
/// made on the command line or on another node is known here within that time.
final class CatalogKeeper {
  private let stopped: Inbox<Void>
  private let catalog: Catalog

  init(
    databaseURL: String, catalog: Catalog, sender: APNsSender, requests: Inbox<ProviderTokenRequest>, master: MasterKey,
    health: Health
  ) throws {
    self.catalog = catalog
    let stopped = try Inbox<Void>(capacity: 1)
    self.stopped = stopped
    _ = try Thread(name: "catalog") {
      let keeper = APNsKeeper(
        sender: sender, requests: requests, master: master, health: health, clock: SystemClock())
      let log = Logger(label: "catalog")
      var connection: Connection?
      var resumptions = Resumptions()
      while !stopped.isClosed {
        do {
          let present = try connection ?? Connection(databaseURL)
          connection = present
          try catalog.refresh(present)
          for app in resumptions.note(catalog.pausedApps) { sender.forgive(app) }
          try keeper.turn(present)
        } catch {
          log.error("apps and credentials could not be read", metadata: ["error": "\(error)"])
          connection = nil
        }
        _ = catalog.wanted.wait(atMost: Server.Limits.catalogInterval)
        catalog.wanted.drain()
      }
    }
  }

  /// Finds the apps that were paused at the last look and are not any more.
  private struct Resumptions {
    private var paused: Set<App.Number> = []

    mutating func note(_ present: Set<App.Number>) -> Set<App.Number> {
      defer { paused = present }
      return paused.subtracting(present)
    }
  }

  func stop() {
    stopped.close()
    catalog.wanted.signal()
  }
}
