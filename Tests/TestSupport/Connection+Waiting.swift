package import Postgres

/// Looks at who waits for locks, and waits for them itself.
extension Connection {
  private static let waitingStatement = Statement(
    "test-waiting",
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")

  /// Returns the number of sessions of this database that wait for a lock.
  package func waitingSessions() throws(PostgresError) -> Int64 { try run(Self.waitingStatement).int64(0, 0) }

  /// Runs a script, and again as long as somebody holds a lock or a template that it needs: functions of the schema
  /// give up a lock after a fraction of a second, PostgreSQL a template after five, and others may stand for longer.
  package func insist(on sql: String) throws {
    _ = try poll("its locks are held for ever", every: .milliseconds(20)) { () throws -> Bool? in
      do throws(PostgresError) {
        try script(sql)
        return true
      } catch {
        guard error.sqlState == .lockNotAvailable || error.sqlState == .objectInUse else { throw error }
        return nil
      }
    }
  }
}
