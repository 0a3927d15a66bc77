package import Reactor

/// A thread's own connection, opened at its first use, so that the thread can start while the database is unavailable.
/// Once open, it reconnects automatically.
package final class OwnConnection {
  private let url: String
  private let options: ConnectionOptions
  private var connection: Connection?

  package init(_ url: String, _ options: ConnectionOptions = ConnectionOptions()) {
    self.url = url
    self.options = options
  }

  package func present() throws(PostgresError) -> Connection {
    if let connection { return connection }
    let made = try Connection(url, options: options)
    connection = made
    return made
  }

  /// Drops the connection, so that the next use opens a new one, if the error shows that the session is lost or left in
  /// a transaction (class 25). Has no effect for other errors.
  package func failed(_ error: any Error) {
    guard let error = error as? PostgresError else { return }
    if error.isConnectionLost || error.sqlState?.errorClass == "25" { connection = nil }
  }
}

/// Main loop of a thread that works on the database: calls `turn` repeatedly until the stop signal. A turn that fails
/// is repeated after a pause; each must therefore start from committed state.
package struct DatabaseWorker {
  private let connection: OwnConnection
  private let stopping: StopSignal
  private let pause: Duration
  private let failed: (any Error) -> Void

  /// Creates a worker, which does not connect before its first turn.
  /// - Parameters:
  ///   - pause: delay after a turn that failed.
  ///   - failed: called with the error of each failed turn, except a cancellation because of the stop signal.
  package init(
    _ url: String, _ options: ConnectionOptions = ConnectionOptions(), stopping: StopSignal,
    pause: Duration = .seconds(1), failed: @escaping (any Error) -> Void
  ) {
    connection = OwnConnection(url, options)
    self.stopping = stopping
    self.pause = pause
    self.failed = failed
  }

  /// Repeats `turn` until the stop signal is raised. After a failed turn, calls `failed` with the error, pauses, and
  /// reconnects if the session is lost. If a turn is cancelled after the signal, returns without calling `failed`.
  /// - Parameter turn: one unit of work. If there is nothing to do it should wait, at most until the stop signal.
  package func run(_ turn: (Connection) throws -> Void) {
    while !stopping.isRaised {
      do {
        try turn(connection.present())
      } catch {
        if stopping.isRaised, (error as? PostgresError)?.sqlState == .queryCanceled { return }
        failed(error)
        connection.failed(error)
        stopping.rest(atMost: pause)
      }
    }
  }
}
