package import Reactor

/// A thread's own connection, opened on first use, so that the thread can start while the database is away. Once open
/// it reconnects by itself.
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

  /// Drops the connection if the error shows that its session is lost, or stuck in a transaction that no code will end:
  /// the next use opens a new one.
  package func failed(_ error: any Error) {
    guard let error = error as? PostgresError else { return }
    if error.isConnectionLost || error.sqlState?.errorClass == "25" { connection = nil }
  }
}

/// The loop of a thread that works with the database in turns until it is told to stop. A failed turn is simply
/// repeated a little later: every turn starts from committed state.
package struct DatabaseWorker {
  private let connection: OwnConnection
  private let stopping: StopSignal
  private let pause: Duration
  private let failed: (any Error) -> Void

  /// - Parameters:
  ///   - pause: delay after a failed turn.
  ///   - failed: receives what a turn threw, except a cancellation by which the thread is stopped.
  package init(
    _ url: String, _ options: ConnectionOptions = ConnectionOptions(), stopping: StopSignal,
    pause: Duration = .seconds(1), failed: @escaping (any Error) -> Void
  ) {
    connection = OwnConnection(url, options)
    self.stopping = stopping
    self.pause = pause
    self.failed = failed
  }

  /// - Parameter turn: waits by itself if there is nothing to do, but not beyond the stop signal.
  package func run(_ turn: (Connection) throws -> Void) {
    while !stopping.isGiven {
      do {
        try turn(connection.present())
      } catch {
        if stopping.isGiven, (error as? PostgresError)?.sqlState == .queryCanceled { return }
        failed(error)
        connection.failed(error)
        stopping.rest(atMost: pause)
      }
    }
  }
}
