internal import Postgres

/// Incarnations of a database: a restore from a backup begins a new one. The incarnation's number is part of the
/// identity of blocks, because a restored database assigns the block numbers from after the backup a second time.
package enum Incarnations {
  private static let presentStatement = Statement(
    "incarnations-present", "SELECT incarnation FROM incarnations ORDER BY began_at DESC LIMIT 1")

  /// Returns the number of the current incarnation, from 0 to 2,097,151 (21 bits).
  package static func present() -> Query<Int32> { Query(one: presentStatement) { $0.int32() } }

  private static let beginStatement = Statement(
    "incarnations-begin",
    """
    INSERT INTO incarnations (incarnation, began_at)
    -- By chance: two databases may be restored from one backup.
    SELECT n, clock_timestamp() FROM (SELECT (random() * 2097151)::integer AS n FROM generate_series(1, 100)) c
    WHERE NOT EXISTS (SELECT FROM incarnations i WHERE i.incarnation = n) LIMIT 1
    """)

  static func begin() -> Query<Void> { Query(beginStatement) { _ in } }
}
