internal import Postgres

/// Identifies which life of the database this is. A restore begins a new one, because it reuses block numbers that were
/// assigned to other devices after the backup was taken.
package enum Incarnations {
  private static let presentStatement = Statement(
    "incarnations-present", "SELECT incarnation FROM incarnations ORDER BY began_at DESC LIMIT 1")

  /// The current incarnation, 21 bits.
  package static func present() -> Query<Int32> { Query(presentStatement, Parameters()) { $0.int32(0, 0) } }

  private static let beginStatement = Statement(
    "incarnations-begin",
    """
    INSERT INTO incarnations (incarnation, began_at)
    -- By chance: two databases may be restored from one backup.
    SELECT n, clock_timestamp() FROM (SELECT (random() * 2097151)::integer AS n FROM generate_series(1, 100)) c
    WHERE NOT EXISTS (SELECT FROM incarnations i WHERE i.incarnation = n) LIMIT 1
    """)

  static func begin() -> Query<Void> { Query(beginStatement, Parameters()) { _ in } }
}
