package import Postgres

/// Looks at who waits for locks.
extension Connection {
  private static let waitingStatement = Statement(
    "test-waiting",
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")

  /// Returns the number of sessions of this database that wait for a lock.
  package func waitingSessions() throws(PostgresError) -> Int64 { try run(Self.waitingStatement).int64(0, 0) }
}
