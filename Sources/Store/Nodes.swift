package import Postgres

/// Which nodes are alive, and the ranges of SEQNOs that partitions exist for.
package enum Nodes {
  private static let beatStatement = Statement(
    "nodes-beat",
    """
    INSERT INTO nodes (node, alive_until) VALUES ($1, now() + make_interval(secs => $2))
    ON CONFLICT (node) DO UPDATE SET alive_until = excluded.alive_until
    -- The statement does not see what it writes itself.
    RETURNING 1 + (SELECT count(*) FROM nodes other WHERE other.node <> $1 AND other.alive_until > now())
    """)

  /// Prolongs this node's lease by so many seconds of the database's clock. Answers how many nodes hold one, this one
  /// included.
  package static func beat(_ node: UUIDValue, seconds: Int32) -> Query<Int> {
    var parameters = Parameters()
    parameters.append(uuid: node)
    parameters.append(seconds)
    return Query(beatStatement, parameters) { Int($0.int64(0, 0)) }
  }

  private static let leaveStatement = Statement("nodes-leave", "DELETE FROM nodes WHERE node = $1")

  /// Ends the lease in good order: others need not wait for it to run out.
  package static func leave(_ node: UUIDValue) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(uuid: node)
    return Query(leaveStatement, parameters) { _ in }
  }

  private static let buryStatement = Statement(
    "nodes-bury",
    """
    DELETE FROM nodes n WHERE alive_until < now() - interval '1 hour'
      AND NOT EXISTS (SELECT FROM claims c WHERE c.node = n.node)
    """)

  /// Forgets nodes that have long been gone and left nothing.
  package static func bury() -> Query<Void> {
    Query(buryStatement, Parameters()) { _ in }
  }

  private static let extendStatement = Statement(
    "seqno-ranges-extend",
    "SELECT extend_seqno_ranges($1)")

  /// Makes the next partitions when fewer than `width` SEQNOs are left. Answers their end when it made any. Throws
  /// `lockNotAvailable` when somebody is in the way: try again later.
  package static func extendRanges(width: Int64) -> Query<Int64?> {
    var parameters = Parameters()
    parameters.append(width)
    return Query(extendStatement, parameters) { $0.optionalInt64(0, 0) }
  }
}
