internal import Logging
internal import Postgres
internal import Reactor

/// The frame of a dispatcher thread: its connection, and what happens when the database fails it.
struct DatabaseThread {
  private let shared: Shared
  private let log: Logger
  private let name: String

  init(_ name: String, _ shared: Shared) {
    self.name = name
    self.shared = shared
    log = Logger(label: name)
  }

  /// Calls `turn` until the node stops. After an error the turn is simply made again: every turn begins from what is
  /// committed. `turn` waits by itself when there is nothing to do.
  func run(cancelledBy canceller: Canceller? = nil, _ turn: (Connection) throws -> Void) {
    var options = ConnectionOptions()
    options.readsByIndex = true
    options.silence = Limits.silence
    options.canceller = canceller
    var connection: Connection?
    while !shared.isStopping {
      do {
        let present = try connection ?? Connection(shared.configuration.databaseURL, options: options)
        connection = present
        try turn(present)
      } catch {
        // Cancelled so that we end.
        if shared.isStopping, (error as? PostgresError)?.sqlState == .queryCanceled { return }
        log.error("the database failed; trying again", metadata: ["error": "\(error)"])
        if let lost = error as? PostgresError, lost.isConnectionLost { connection = nil }
        shared.stopping.rest(atMost: Limits.databasePause)
      }
    }
  }
}
