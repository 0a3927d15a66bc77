package import Domain
internal import Postgres
package import Time

/// Statistics reports per minute, hour, day, week or month, optionally divided by one property.
package enum StatisticsReports {
  /// Length of a report's periods. Days, weeks (from Monday) and months are those of each app's time zone.
  package enum Unit: String, CaseIterable, Sendable {
    case minute, hour, day, week, month
  }

  /// The property by which each period of a report is subdivided.
  package enum Division: String, CaseIterable, Sendable {
    case none, app, network, lane, reason, appVersion

    /// The property's column, converted to text so that all reports have the same columns.
    fileprivate var column: String {
      switch self {
      case .none: "''"
      case .app: "a.app_id"
      case .network: "s.network::text"
      case .lane: "s.lane::text"
      case .reason: "s.reason"
      case .appVersion: "s.app_version"
      }
    }
  }

  package struct Row: Sendable {
    /// Start of the period; days, weeks and months begin in the app's time zone.
    package let at: Timestamp
    package let part: String
    package let counts: Statistics.Counts
    /// The time zone of the row's apps; nil if their zones differ.
    package let timeZone: String?
    /// Start of the period in that time zone, as YYYY-MM-DD HH:MM; nil if the zones differ.
    package let localTime: String?
  }

  private static let columnList = "s.app, s.network, s.lane, s.app_version, s.reason, \(Statistics.countColumns)"
  private static let scope = "s.app = ANY($1) AND s.at < $3"
  private static let upto = "(SELECT hours_upto FROM statistics_progress)"
  private static let day = "date_trunc('day', $2, a.time_zone)"

  /// SQL expression: the start of the first day of app `z` that is made from hours and minutes. The days of an app in
  /// an unknown time zone wait (`StatisticsRollup`). Where its last stored day ends is then unknown as well: that day
  /// is made from its hours, unless some of them may be gone.
  private static let madeFrom = """
    CASE WHEN z.time_zone IS NOT NULL
      THEN least(date_trunc('day', \(upto), z.time_zone), \(StatisticsRollup.missingDay))
      ELSE coalesce((SELECT max(d.at) FROM statistics_days d WHERE d.app = z.app
          AND d.at >= \(upto) - interval '399 days'), \(upto) - interval '397 days') END
    """

  /// SQL: the apps `$1` as `a`, with UTC in place of a time zone that PostgreSQL does not know: one such app must not
  /// keep the report of all apps from being made. The zones are looked up once an app, not once a row.
  static let apps = """
    (SELECT z.app, z.app_id, coalesce(z.time_zone, 'UTC') AS time_zone, \(madeFrom) AS made_from
      FROM (SELECT a.app, a.app_id, \(TimeZones.known) AS time_zone FROM apps a WHERE a.app = ANY($1) OFFSET 0) z
      OFFSET 0) a
    """

  /// Returns SQL that combines the tables, for the apps `$1` in [`$2`, `$3`). Except for minutes, `$2` is rounded down
  /// to the hour or day, and an hour or day that is stored as one row counts in full if it begins before `$3`. Hours
  /// before `hours_upto` come from the hourly table, later ones from minutes. Days before `made_from` come from the
  /// daily table, later ones from hours and minutes.
  static func parts(_ unit: Unit) -> String {
    switch unit {
    case .minute:
      "SELECT \(columnList), s.at FROM statistics_minutes s WHERE \(scope) AND s.at >= $2"
    case .hour:
      """
      SELECT \(columnList), s.at FROM statistics_hours s
      WHERE \(scope) AND s.at >= date_trunc('hour', $2) AND s.at < \(upto)
      UNION ALL
      SELECT \(columnList), date_trunc('hour', s.at) FROM statistics_minutes s
      WHERE \(scope) AND s.at >= date_trunc('hour', $2) AND s.at >= \(upto)
      """
    case .day, .week, .month:
      """
      SELECT \(columnList), s.at FROM statistics_days s JOIN \(apps) ON a.app = s.app
      WHERE \(scope) AND s.at >= \(day) AND s.at < a.made_from
      UNION ALL
      SELECT \(columnList), date_trunc('day', s.at, a.time_zone) FROM statistics_hours s JOIN \(apps) ON a.app = s.app
      WHERE \(scope) AND s.at >= \(day) AND s.at >= a.made_from AND s.at < \(upto)
      UNION ALL
      SELECT \(columnList), date_trunc('day', s.at, a.time_zone) FROM statistics_minutes s JOIN \(apps) ON a.app = s.app
      WHERE \(scope) AND s.at >= \(day) AND s.at >= \(upto)
      """
    }
  }

  private static let statements: [Statement] = Unit.allCases.flatMap { unit in
    Division.allCases.map { division in
      Statement(
        name(unit, division),
        """
        SELECT *, to_char(p.start AT TIME ZONE p.zone, 'YYYY-MM-DD HH24:MI') FROM (
          SELECT \(start(unit)) AS start, \(division.column) AS part, \(Statistics.sums),
            CASE WHEN min(a.time_zone) = max(a.time_zone) THEN min(a.time_zone) END AS zone
          FROM (\(parts(unit))) s JOIN \(apps) ON a.app = s.app
          GROUP BY 1, 2 ORDER BY 1, 2 LIMIT $4) p
        ORDER BY p.start, p.part
        """)
    }
  }

  /// Returns SQL for the start of a row's period. Weeks and months are summed from days; the first of them can be
  /// incomplete, because it contains only the days from `$2` on.
  private static func start(_ unit: Unit) -> String {
    switch unit {
    case .minute, .hour, .day: "s.at"
    case .week, .month: "date_trunc('\(unit.rawValue)', s.at, a.time_zone)"
    }
  }

  private static func name(_ unit: Unit, _ division: Division) -> String {
    "statistics-report-\(unit.rawValue)-\(division.rawValue)"
  }

  private static func statement(_ unit: Unit, _ division: Division) -> Statement {
    let place = (Unit.allCases.firstIndex(of: unit) ?? 0) * Division.allCases.count
    return statements[place + (Division.allCases.firstIndex(of: division) ?? 0)]
  }

  private static let timeZoneStatement = Statement(
    "statistics-report-zone",
    """
    SELECT CASE WHEN min(z.time_zone) = max(z.time_zone) THEN min(z.time_zone) END
    FROM (SELECT \(TimeZones.ofApp) AS time_zone FROM apps a WHERE a.app = ANY($1)) z
    """)

  /// Returns the time zone whose days, weeks and months a report of these apps has: UTC in place of one that PostgreSQL
  /// does not know. Nil if the apps' zones differ, or if there are no apps.
  package static func timeZone(of apps: [App.Number]) -> Query<String?> {
    var column = Int32Column()
    for app in apps { column.append(app) }
    return Query(one: timeZoneStatement, column) { $0.optionalText() }
  }

  /// Returns the counts in [from, to): at most `limit` rows, one for each period and part (`division`), in order of
  /// time and part. Periods without counts are omitted. For hours, `from` is rounded down to the hour, for longer
  /// periods to the day. An hour or day that is already rolled up counts in full if it begins before `to`.
  package static func report(
    of apps: [App.Number], from: Timestamp, to: Timestamp, by unit: Unit, per division: Division, limit: Int
  ) -> Query<[Row]> {
    var column = Int32Column()
    for app in apps { column.append(app) }
    var parameters = Parameters()
    parameters.append(column)
    parameters.append(from)
    parameters.append(to)
    parameters.append(limit)
    return Query(statement(unit, division), parameters) { rows in
      rows.decode { row in
        Row(
          at: row.timestamp(), part: row.text(), counts: Statistics.Counts(&row), timeZone: row.optionalText(),
          localTime: row.optionalText())
      }
    }
  }
}

extension Statistics.Counts {
  init(_ row: inout RowReader) {
    self.init()
    accepted = row.int64()
    rejected = row.int64()
    expired = row.int64()
    cancelled = row.int64()
    skipped = row.int64()
    received = row.int64()
    read = row.int64()
    joined = row.int64()
    left = row.int64()
  }

  package static func += (left: inout Self, right: Self) {
    left.accepted += right.accepted
    left.rejected += right.rejected
    left.expired += right.expired
    left.cancelled += right.cancelled
    left.skipped += right.skipped
    left.received += right.received
    left.read += right.read
    left.joined += right.joined
    left.left += right.left
  }
}
