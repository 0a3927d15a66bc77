internal import Postgres

/// The detection of tables of ours that the extension Citus manages.
///
/// Decision 160.
package enum Placement {
  private static let versionStatement = Statement(
    "placement-version", "SELECT extversion FROM pg_extension WHERE extname = 'citus'")

  /// Returns the version of Citus in this database, such as `13.2-1`; nil if it is not installed.
  package static func citusVersion() -> Query<String?> {
    Query(versionStatement) { $0.count == 0 ? nil : $0.text(0, 0) }
  }

  private static let movedStatement = Statement(
    "placement-moved",
    """
    SELECT c.relname::text FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
    WHERE c.relnamespace = current_schema()::regnamespace ORDER BY 1
    """)

  /// Returns the names of our tables that Citus manages, in alphabetical order: distributed, reference or managed local
  /// tables. Fails in a database without the extension.
  package static func tablesOfCitus() -> Query<[String]> {
    Query(movedStatement) { rows in (0..<rows.count).map { rows.text($0, 0) } }
  }
}
