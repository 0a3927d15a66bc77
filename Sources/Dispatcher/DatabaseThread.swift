internal import Logging
internal import Postgres
internal import Reactor

/// Main loop of a dispatcher thread: opens its database connection, reconnects after failures, and logs them.
struct DatabaseThread {
  private let shared: Shared
  private let log: Logger

  init(_ name: String, _ shared: Shared) {
    self.shared = shared
    log = Logger(label: name)
  }

  /// Calls `turn` repeatedly until the node stops. If there is nothing to do, `turn` itself waits.
  func run(cancelledBy canceller: Canceller? = nil, _ turn: (Connection) throws -> Void) {
    var options = ConnectionOptions()
    options.readsByIndex = true
    options.silence = Limits.silence
    options.canceller = canceller
    let worker = DatabaseWorker(
      shared.configuration.databaseURL, options, stopping: shared.stopping, pause: Limits.databasePause
    ) { [log] error in
      log.error("the database failed; trying again", metadata: FailureDetails.of(error).mapValues { "\($0)" })
    }
    worker.run(turn)
  }
}
