package import Postgres
package import Reactor
package import Time

/// Conversions between instants and local times. PostgreSQL does them, because it has the time zone data.
package enum WallClock {
  private static let nowStatement = Statement("wall-clock-now", "SELECT clock_timestamp()")

  /// Returns the database's time.
  package static func now() -> Query<Timestamp> {
    Query(nowStatement) { $0.timestamp(0, 0) }
  }

  private static let momentStatement = Statement(
    "wall-clock-moment", "SELECT $1::text::timestamp AT TIME ZONE $2::text")

  /// Returns the instant at which clocks in a time zone show a local time.
  /// - Parameter local: `yyyy-MM-ddTHH:mm:ss`, a date and time that exist in the calendar.
  package static func moment(_ local: String, timeZone: String) -> Query<Timestamp> {
    Query(momentStatement, local, timeZone) { $0.timestamp(0, 0) }
  }
}

extension DatabaseClock {
  /// Reads the database's clock and passes it to `learn`. Returns how far the clock has jumped, if it has.
  @discardableResult
  package func ask(_ connection: Connection) throws(PostgresError) -> Duration? {
    let asked = now
    return learn(try connection.run(WallClock.now()), asked: asked, answered: now)
  }
}
