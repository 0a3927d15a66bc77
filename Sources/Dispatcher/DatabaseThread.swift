internal import Logging
internal import Postgres
internal import Reactor

/// Main loop of a dispatcher thread: opens the thread's own database connection, replaces it when it is lost, and logs
/// failures.
struct DatabaseThread {
  private let shared: Shared
  private let log: Logger

  init(_ name: String, _ shared: Shared) {
    self.shared = shared
    log = Logger(label: name)
  }

  /// Calls `turn` repeatedly and returns when the node stops. If `turn` throws, logs the error, waits for
  /// `Limits.databasePause` and calls it again, with a new connection if the old one is lost.
  /// - Parameters:
  ///   - canceller: lets another thread cancel the query in progress; nil if queries are never cancelled.
  ///   - turn: one unit of work, which starts from committed state. If there is nothing to do, it must wait.
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
