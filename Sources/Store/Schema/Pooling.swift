package import Postgres

/// The detection of a connection pooler that assigns a server session per transaction or statement, as PgBouncer does
/// with `pool_mode = transaction` (or `statement`).
///
/// We need sessions that last as long as our connections, because prepared statements, LISTEN, timeouts and the
/// migrator's lock belong to a session. With the wrong mode these fail late, or silently. So the detection tests for
/// the effect itself: whether two connections share one session. Decision 113.
package enum Pooling {
  /// Description of the fault, to which the caller adds the server's address.
  package static let complaint =
    "a pooler lends its sessions for a transaction, so prepared statements, LISTEN and locks get lost"
  package static let remedy =
    "Set pool_mode = session in PgBouncer (for this database, if not for all), or name PostgreSQL itself in "
    + "UPMC_DATABASE_URL."

  /// Number of tries. If other clients use the pool too, the two connections can have different sessions at first.
  private static let looks = 5
  /// Raised by our own test statement. No other software uses class UP.
  private static let oneSession = SQLState(rawValue: "UP001")

  /// Opens two connections to the server, and returns true if they share a session, because a pooler assigns sessions
  /// per transaction or statement. Returns false without a pooler, with one in session mode, or if the connections had
  /// different sessions in each try. Throws if a connection fails.
  package static func lendsSessions(_ url: String) throws(PostgresError) -> Bool {
    var options = ConnectionOptions()
    options.applicationName = "upmc pooler?"
    let first = try Connection(url, options: options)
    let second = try Connection(url, options: options)
    for _ in 0..<looks {
      guard try areOne(first, second) else { continue }
      // Undo our change to the shared session before it goes back to the pool.
      try first.script("SELECT set_config('upmc.pooling', '', false)")
      return true
    }
    return false
  }

  private static func areOne(_ first: Connection, _ second: Connection) throws(PostgresError) -> Bool {
    let mark = String(UInt64.random(in: .min ... .max), radix: 16)
    try first.script("SELECT set_config('upmc.pooling', '\(mark)', false)")
    do throws(PostgresError) {
      // Inside a transaction, `second` keeps its session for the next statement too.
      try second.script("BEGIN")
      try second.script(
        """
        DO $$ BEGIN
          IF current_setting('upmc.pooling', true) = '\(mark)' THEN
            RAISE EXCEPTION 'one session for two' USING ERRCODE = '\(oneSession.rawValue)';
          END IF;
        END $$
        """)
      try second.script("ROLLBACK")
      return false
    } catch {
      if error.sqlState == oneSession {
        // The pool may have had no other session for `first`.
        try second.script("ROLLBACK")
        return true
      }
      // PgBouncer's own error in statement mode, in which BEGIN is not allowed.
      if error.message.contains("statement pooling") { return true }
      throw error
    }
  }
}
