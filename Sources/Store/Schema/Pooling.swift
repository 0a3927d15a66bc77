package import Postgres

/// Whether what answers at the database's address lends its sessions out for a transaction at a time, as PgBouncer does
/// with `pool_mode = transaction` (or `statement`).
///
/// Ours are kept for life: prepared statements, LISTEN, time limits and the migrator's lock belong to them. In the wrong
/// mode none of that fails at once, and some of it never does in words. So this looks for the thing itself: two
/// connections that turn out to be one session.
package enum Pooling {
  /// What is wrong, without the place.
  package static let complaint =
    "a pooler lends its sessions for a transaction, so prepared statements, LISTEN and locks get lost"
  package static let remedy =
    "Set pool_mode = session in PgBouncer (for this database, if not for all), or name PostgreSQL itself in "
    + "UPMC_DATABASE_URL."

  /// Looks a few times: where others use the pool too, the second connection may be lent another session at first.
  private static let looks = 5
  /// The error that our own question raises: class UP is nobody's.
  private static let oneSession = SQLState(rawValue: "UP001")

  /// True when sessions are lent. Without a pooler, and with one that lends them for as long as we want, it is false.
  package static func lendsSessions(_ url: String) throws(PostgresError) -> Bool {
    var options = ConnectionOptions()
    options.applicationName = "upmc pooler?"
    let first = try Connection(url, options: options)
    let second = try Connection(url, options: options)
    for _ in 0..<looks {
      guard try areOne(first, second) else { continue }
      // A session that was lent goes back as it came.
      try first.script("SELECT set_config('upmc.pooling', '', false)")
      return true
    }
    return false
  }

  private static func areOne(_ first: Connection, _ second: Connection) throws(PostgresError) -> Bool {
    let mark = String(UInt64.random(in: .min ... .max), radix: 16)
    try first.script("SELECT set_config('upmc.pooling', '\(mark)', false)")
    do throws(PostgresError) {
      // Within a transaction the session is the second's alone, also for the next question.
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
        // There may be no other for the first.
        try second.script("ROLLBACK")
        return true
      }
      // PgBouncer's own words; it lends for a statement then, which is worse.
      if error.message.contains("statement pooling") { return true }
      throw error
    }
  }
}
