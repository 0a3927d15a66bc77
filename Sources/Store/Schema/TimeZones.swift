internal import Postgres

/// The names of time zones that count for devices. PostgreSQL also accepts rules such as `A+1:02:03`, of which a client
/// could invent any number.
package enum TimeZones {
  /// SQL expression: the device's time zone if its name is known, otherwise an empty string.
  static let named = "(CASE WHEN time_zone IN (SELECT name FROM time_zones) THEN time_zone ELSE '' END)"

  /// SQL expression: the time zone of app `a`, or UTC if PostgreSQL no longer knows that zone, after an update of its
  /// time zone data or a restore to another server. For statements that concern several apps, none of which may fail
  /// because of another's zone.
  static let ofApp = "zone_or(a.time_zone, 'UTC')"

  /// SQL expression: the time zone of app `a`; NULL if PostgreSQL does not know it.
  static let known = "nullif(zone_or(a.time_zone, ''), '')"

  /// SQL condition: PostgreSQL knows the time zone of app `a`.
  static let isOfAppKnown = "(zone_or(a.time_zone, '') <> '')"

  /// Returns SQL, in parentheses, for the distinct time zones that an app's active devices report, in a column
  /// `time_zone`. Goes through `devices_by_time_zone` from zone to zone, so that not all devices are read.
  /// - Parameter app: the app's number as SQL.
  static func used(by app: String) -> String {
    """
    (WITH RECURSIVE used AS (
      (SELECT d.time_zone FROM devices d WHERE d.app::bigint = \(app)::int::bigint AND d.state = \(Devices.State.active.sql)
        ORDER BY d.time_zone LIMIT 1)
      UNION ALL
      SELECT n.time_zone FROM used u CROSS JOIN LATERAL (
        SELECT d.time_zone FROM devices d WHERE d.app::bigint = \(app)::int::bigint AND d.state = \(Devices.State.active.sql)
          AND d.time_zone > u.time_zone ORDER BY d.time_zone LIMIT 1) n)
    SELECT time_zone FROM used)
    """
  }

  private static let learnStatement = Statement(
    "time-zones-learn",
    """
    INSERT INTO time_zones SELECT name FROM pg_timezone_names n
    WHERE NOT EXISTS (SELECT FROM time_zones t WHERE t.name = n.name) ON CONFLICT DO NOTHING
    """)

  /// Adds the names in PostgreSQL's time zone data that the table `time_zones` lacks, for example after an update of
  /// the data. Makes PostgreSQL read many files, which takes some tenths of a second.
  package static func learn() -> Query<Void> {
    Query(learnStatement) { _ in }
  }

  private static let addStatement = Statement(
    "time-zones-add", "INSERT INTO time_zones (name) VALUES ($1) ON CONFLICT DO NOTHING")

  /// Adds a name that the caller has found in PostgreSQL's time zone data, for an app that is to use it.
  package static func add(_ name: String) -> Query<Void> {
    Query(addStatement, name) { _ in }
  }

  private static let allStatement = Statement("time-zones-all", "SELECT name FROM time_zones")

  package static func all() -> Query<Set<String>> {
    Query(allStatement) { rows in Set(rows.decode { $0.text() }) }
  }
}
