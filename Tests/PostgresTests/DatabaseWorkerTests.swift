import Reactor
import TestSupport
import Testing

@testable import Postgres

/// The loop of the threads that work with the database: what failed is done again, on a session that is of use.
@Suite struct DatabaseWorkerTests {
  private let database: TestDatabase
  private let stopping: StopSignal

  init() throws {
    database = try TestDatabase.makeEmpty()
    stopping = try StopSignal()
  }

  /// Runs turns until one does not throw. Returns whether they all had the same connection.
  private func keepsConnection(_ failing: (Connection) throws -> Void) -> Bool {
    var connections: [Connection] = []
    var failures = 0
    let worker = DatabaseWorker(database.url, stopping: stopping, pause: .milliseconds(1)) { _ in failures += 1 }
    worker.run { connection in
      connections.append(connection)
      guard connections.count > 1 else { return try failing(connection) }
      stopping.raise()
    }
    #expect(failures == 1 && connections.count == 2)
    return connections.allSatisfy { $0 === connections[0] }
  }

  @Test func `a lost session is made anew`() {
    #expect(!keepsConnection { try $0.script("SELECT pg_terminate_backend(pg_backend_pid())") })
  }

  @Test func `a session in a transaction that nobody ends is made anew`() {
    #expect(
      !keepsConnection { connection in
        try connection.script("BEGIN")
        _ = try? connection.script("SELECT 1 / 0")
        try connection.script("SELECT 1")
      })
  }

  @Test func `what is wrong with one statement costs no session`() {
    #expect(keepsConnection { try $0.script("SELECT 1 / 0") })
  }

  @Test func `who stops it is not kept waiting`() {
    stopping.raise()
    DatabaseWorker(database.url, stopping: stopping, pause: .seconds(60)) { _ in }.run { _ in Issue.record("a turn") }
  }
}
