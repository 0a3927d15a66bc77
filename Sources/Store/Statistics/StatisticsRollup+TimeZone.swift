package import Domain
package import Postgres
internal import Time

/// The move of an app's days to another time zone.
///
/// Days are stored by the time zone that the app had when they were rolled up. If only later days followed a new zone,
/// the hours around the change would count in two days, or in none.
extension StatisticsRollup {
  private static let lockStatement = Statement(
    "statistics-zone-lock", "SELECT hours_upto FROM statistics_progress FOR UPDATE")

  /// The former zone may be unknown by now, beside other time zone data: then the new one tells where a day begins.
  private static let firstStatement = Statement(
    "statistics-zone-first", "SELECT date_trunc('day', $1, zone_or($2, $3))")

  private static let dropStatement = Statement(
    "statistics-zone-drop", "DELETE FROM statistics_days WHERE app = $1 AND at >= $2")

  private static let makeStatement = Statement(
    "statistics-zone-make",
    """
    INSERT INTO statistics_days (\(Statistics.keyColumns), \(Statistics.countColumns))
    SELECT app, date_trunc('day', at, $2), network, lane, app_version, reason, \(Statistics.sums) FROM statistics_hours
    WHERE app = $1 AND at >= $3 AND at < date_trunc('day', $4, $2)
    GROUP BY 1, 2, 3, 4, 5, 6
    -- The first day may begin with one of the former zone.
    ON CONFLICT (app, at, network, lane, app_version, reason)
    DO UPDATE SET \(Statistics.additions(to: "statistics_days"))
    """)

  /// Makes an app's days again from its hours, by its new time zone, in the transaction that changes the zone. Days
  /// that began so long ago that not all of their hours are kept stay as they are. No hour counts twice or is left out.
  /// Waits until no roll-up is in progress, and keeps others from beginning until the transaction ends.
  package static func moveDays(
    of app: App.Number, from former: String, to timeZone: String, on connection: Connection
  ) throws(PostgresError) {
    let upto = try connection.run(lockStatement).decodeOne { $0.timestamp() }
    let since = upto - .seconds((Limits.hourDays - 1) * 86_400)
    let first = try connection.run(firstStatement, Parameters(since, former, timeZone)).decodeOne { $0.timestamp() }
    _ = try connection.run(dropStatement, Parameters(app, first))
    _ = try connection.run(makeStatement, Parameters(app, timeZone, first, upto))
  }
}
