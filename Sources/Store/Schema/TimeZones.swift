internal import Postgres

/// Named time zones. PostgreSQL also accepts rules that are written out (`A+1:02:03`), of which a client could invent
/// any number.
package enum TimeZones {
  /// A device's time zone if it is a named one, otherwise empty.
  static let named = "(CASE WHEN time_zone IN (SELECT name FROM time_zones) THEN time_zone ELSE '' END)"

  private static let learnStatement = Statement(
    "time-zones-learn",
    """
    INSERT INTO time_zones SELECT name FROM pg_timezone_names n
    WHERE NOT EXISTS (SELECT FROM time_zones t WHERE t.name = n.name) ON CONFLICT DO NOTHING
    """)

  /// Adds names that came with newer time zone data. Reads many files and takes some tenths of a second.
  package static func learn() -> Query<Void> {
    Query(learnStatement, Parameters()) { _ in }
  }

  private static let allStatement = Statement("time-zones-all", "SELECT name FROM time_zones")

  package static func all() -> Query<Set<String>> {
    Query(allStatement, Parameters()) { rows in Set(rows.map { rows.text($0, 0) }) }
  }
}
