internal import Postgres

/// Time zones that have a name. PostgreSQL also reads rules written out (`A+1:02:03`), of which there are as many as anybody
/// cares to make up.
package enum TimeZones {
  /// A device's zone as far as it has a name, empty otherwise.
  static let named = "(CASE WHEN time_zone IN (SELECT name FROM time_zones) THEN time_zone ELSE '' END)"

  private static let learnStatement = Statement(
    "time-zones-learn",
    """
    INSERT INTO time_zones SELECT name FROM pg_timezone_names n
    WHERE NOT EXISTS (SELECT FROM time_zones t WHERE t.name = n.name) ON CONFLICT DO NOTHING
    """)

  /// Adds names that came with newer time zone data. Reads many files: some tenths of a second.
  package static func learn() -> Query<Void> {
    Query(learnStatement, Parameters()) { _ in }
  }

  private static let allStatement = Statement("time-zones-all", "SELECT name FROM time_zones")

  package static func all() -> Query<Set<String>> {
    Query(allStatement, Parameters()) { rows in Set(rows.map { rows.text($0, 0) }) }
  }
}
