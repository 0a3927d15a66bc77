package import Postgres

/// Detects a pooler that lends its sessions for one transaction at a time, as PgBouncer does with `pool_mode =
/// transaction` (or `statement`).
///
/// We keep sessions for life: prepared statements, LISTEN, timeouts and the migrator's lock belong to them. In the
/// wrong mode none of that fails at once, and some of it never raises an error. So this tests for the effect itself:
/// two connections that turn out to be one session. Decision 113.
package enum Pooling {
  /// The fault, without the server's address.
  package static let complaint =
    "a pooler lends its sessions for a transaction, so prepared statements, LISTEN and locks get lost"
  package static let remedy =
    "Set pool_mode = session in PgBouncer (for this database, if not for all), or name PostgreSQL itself in "
    + "UPMC_DATABASE_URL."

  /// Repetitions: if other clients use the pool too, the second connection may be lent another session at first.
  private static let looks = 5
  /// Raised by our own probe; no other software uses class UP.
  private static let oneSession = SQLState(rawValue: "UP001")

  /// Returns true when sessions are lent per transaction or statement; false without a pooler, or with one in session
  /// mode.
  package static func lendsSessions(_ url: String) throws(PostgresError) -> Bool {
    var options = ConnectionOptions()
    options.applicationName = "upmc pooler?"
    let first = try Connection(url, options: options)
    let second = try Connection(url, options: options)
    for _ in 0..<looks {
      guard try areOne(first, second) else { continue }
      // Leave a lent session as it was found.
      try first.script("SELECT set_config('upmc.pooling', '', false)")
      return true
    }
    return false
  }

  private static func areOne(_ first: Connection, _ second: Connection) throws(PostgresError) -> Bool {
    let mark = String(UInt64.random(in: .min ... .max), radix: 16)
    try first.script("SELECT set_config('upmc.pooling', '\(mark)', false)")
    do throws(PostgresError) {
      // Within a transaction the session stays with `second`, also for the next statement.
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
        // The pool may have no other session for `first`.
        try second.script("ROLLBACK")
        return true
      }
      // PgBouncer's own wording: it lends per statement, which is worse.
      if error.message.contains("statement pooling") { return true }
      throw error
    }
  }
}
