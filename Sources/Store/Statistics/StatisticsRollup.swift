package import Postgres
package import Time

/// The roll-up of minutes to hours, and of hours to days in each app's time zone, with the deletion of old minutes and
/// hours. Any node can perform it, one at a time; repeating it changes nothing.
///
/// ```
///   statistics_minutes ─── an hour is over, plus 10 minutes ──► statistics_hours ─── a day is over ──► statistics_days
///     kept 3 days                                                kept 400 days                          kept
/// ```
/// Hours before the stored mark `hours_upto` are complete: readers use hours before the mark, and minutes from then on.
/// An hour is always computed from all its minutes, and the preceding hour is computed again, so that a slow commit is
/// not lost. Hours are those of UTC. The days of an app whose time zone PostgreSQL does not know wait until it does:
/// they are then made from the first that is missing, as far as its hours are kept.
package enum StatisticsRollup {
  package enum Limits {
    /// Time after an hour's end at which the hour is rolled up, in seconds, because writers commit their counts later
    /// than what they count.
    static let graceSeconds: Int64 = 600
    /// Maximum number of hours rolled up in one transaction after the service was down for long.
    static let hoursAtOnce: Int64 = 48
    /// Days for which minutes are kept.
    static let minuteDays: Int64 = 3
    /// Days for which hours are kept.
    static let hourDays: Int64 = 400
  }

  private static let turnStatement = Statement(
    "statistics-turn",
    """
    SELECT hours_upto, least(date_trunc('hour', $1 - $2 * interval '1 second'), hours_upto + $3 * interval '1 hour')
    FROM statistics_progress WHERE hours_upto < date_trunc('hour', $1 - $2 * interval '1 second')
    -- Whoever has it rolls up; the others come back later.
    FOR UPDATE SKIP LOCKED
    """)

  private static let dropHoursStatement = Statement(
    "statistics-drop-hours",
    """
    DELETE FROM statistics_hours WHERE at >= $1 - interval '1 hour' AND at < $2
      -- Hours whose minutes are gone cannot be made again.
      AND at >= (SELECT date_trunc('hour', min(at)) FROM statistics_minutes)
    """)

  private static let makeHoursStatement = Statement(
    "statistics-make-hours",
    """
    INSERT INTO statistics_hours (\(Statistics.keyColumns), \(Statistics.countColumns))
    SELECT app, date_trunc('hour', at), network, lane, app_version, reason, \(Statistics.sums) FROM statistics_minutes
    WHERE at >= $1 - interval '1 hour' AND at < $2
    GROUP BY 1, 2, 3, 4, 5, 6
    """)

  /// SQL: all apps as `z`, with NULL for a time zone that PostgreSQL does not know.
  private static let zones = "(SELECT a.app, \(TimeZones.known) AS time_zone FROM apps a OFFSET 0) z"

  /// SQL expression: the start of the day after the last that is stored of app `z`, in its time zone; long ago if none
  /// is stored. A day begins 23 to 25 hours after the one before.
  static let missingDay = """
    coalesce((SELECT date_trunc('day', max(d.at) + interval '36 hours', z.time_zone)
      FROM statistics_days d WHERE d.app = z.app), '-infinity')
    """

  private static let dropDaysStatement = Statement(
    "statistics-drop-days",
    """
    DELETE FROM statistics_days d USING \(zones)
    WHERE z.app = d.app AND d.at >= date_trunc('day', $1 - interval '1 hour', z.time_zone)
    """)

  private static let makeDaysStatement = Statement(
    "statistics-make-days",
    """
    INSERT INTO statistics_days (\(Statistics.keyColumns), \(Statistics.countColumns))
    SELECT h.app, date_trunc('day', h.at, a.time_zone), network, lane, app_version, reason, \(Statistics.sums)
    FROM statistics_hours h JOIN (
      SELECT z.app, z.time_zone, least(date_trunc('day', $1 - interval '1 hour', z.time_zone), \(missingDay)) AS first
      FROM \(zones) OFFSET 0) a ON a.app = h.app
    WHERE h.at >= a.first
      -- Only days that are over.
      AND h.at < date_trunc('day', $2, a.time_zone)
    GROUP BY 1, 2, 3, 4, 5, 6
    """)

  private static let progressStatement = Statement(
    "statistics-progress", "UPDATE statistics_progress SET hours_upto = $1")

  private static let pruneMinutesStatement = Statement(
    "statistics-prune-minutes", "DELETE FROM statistics_minutes WHERE at < $1")
  private static let pruneHoursStatement = Statement(
    "statistics-prune-hours", "DELETE FROM statistics_hours WHERE at < $1")

  /// Rolls up the complete hours that are not rolled up yet, at most `Limits.hoursAtOnce`, and the days that they
  /// complete, and deletes old minutes and hours, in one transaction. Returns false if there was nothing to do, or if
  /// another node is rolling up.
  package static func run(_ connection: Connection, now: Timestamp) throws(PostgresError) -> Bool {
    try connection.transaction(attempts: 3) { () throws(PostgresError) in
      let rows = try connection.run(
        turnStatement, Parameters(now, Limits.graceSeconds, Limits.hoursAtOnce))
      guard let (from, upto) = rows.decodeFirst({ ($0.timestamp(), $0.timestamp()) }) else { return false }
      let range = Parameters(from, upto)
      _ = try connection.run(dropHoursStatement, range)
      _ = try connection.run(makeHoursStatement, range)
      _ = try connection.run(dropDaysStatement, Parameters(from))
      _ = try connection.run(makeDaysStatement, range)
      try prune(pruneMinutesStatement, upto - .seconds(Limits.minuteDays * 86_400), connection)
      try prune(pruneHoursStatement, upto - .seconds(Limits.hourDays * 86_400), connection)
      _ = try connection.run(progressStatement, Parameters(upto))
      return true
    }
  }

  private static let dueStatement = Statement(
    "statistics-due",
    "SELECT hours_upto < date_trunc('hour', $1 - $2 * interval '1 second') FROM statistics_progress")

  /// Returns whether complete hours are not rolled up yet.
  package static func isDue(at now: Timestamp) -> Query<Bool> {
    Query(one: dueStatement, now, Limits.graceSeconds) { $0.bool() }
  }

  private static func prune(
    _ statement: Statement, _ before: Timestamp, _ connection: Connection
  ) throws(PostgresError) {
    _ = try connection.run(statement, Parameters(before))
  }
}
