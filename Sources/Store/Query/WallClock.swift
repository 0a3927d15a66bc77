package import Postgres
package import Reactor
package import Time

/// The database's time, and the conversion of local times to instants, for which PostgreSQL has the time zone data.
package enum WallClock {
  private static let nowStatement = Statement("wall-clock-now", "SELECT clock_timestamp()")

  /// Returns the database's time.
  package static func now() -> Query<Timestamp> {
    Query(nowStatement) { $0.timestamp(0, 0) }
  }

  private static let momentStatement = Statement(
    "wall-clock-moment", "SELECT $1::text::timestamp AT TIME ZONE $2::text")

  /// Returns the instant at which clocks in a time zone show a local time. If they show it twice, because they are set
  /// back, returns the later instant; if they skip it, because they are set forward, returns the instant at which they
  /// would have shown it without the change. Fails if PostgreSQL does not know the time zone.
  /// - Parameter local: `yyyy-MM-ddTHH:mm:ss`, a date and time that exist in the calendar.
  package static func moment(_ local: String, timeZone: String) -> Query<Timestamp> {
    Query(momentStatement, local, timeZone) { $0.timestamp(0, 0) }
  }
}

extension DatabaseClock {
  /// Reads the database's clock, blocking until the database has answered, and passes the time to `learn`. Returns the
  /// result of `learn`: how far the database's clock has jumped; nil for the first reading, or if the jump is small.
  @discardableResult
  package func ask(_ connection: Connection) throws(PostgresError) -> Duration? {
    let asked = now
    return learn(try connection.run(WallClock.now()), asked: asked, answered: now)
  }
}
