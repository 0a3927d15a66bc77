package import Postgres
package import Time

/// Node leases, and the creation of partitions for new SEQNOs.
package enum Nodes {
  private static let beatStatement = Statement(
    "nodes-beat",
    """
    INSERT INTO nodes (node, alive_until) VALUES ($1, now() + make_interval(secs => $2))
    ON CONFLICT (node) DO UPDATE SET alive_until = excluded.alive_until, left_nothing_at = NULL
    -- The statement does not see what it writes itself.
    RETURNING 1 + (SELECT count(*) FROM nodes other WHERE other.node <> $1 AND other.alive_until > now()),
      clock_timestamp(), xmax = 0
    """)

  /// Creates this node's lease, or renews it, for `seconds` of the database's clock. Returns how many nodes have a
  /// lease, including this one, the database's time, and whether the node had no row: it is new, or was away for so
  /// long that it was forgotten (`bury`).
  package static func beat(_ node: UUIDValue, seconds: Int32) -> Query<(nodes: Int, now: Timestamp, isNew: Bool)> {
    Query(one: beatStatement, node, seconds) { (Int($0.int64()), $0.timestamp(), $0.bool()) }
  }

  private static let describeStatement = Statement(
    "nodes-describe",
    "UPDATE nodes SET host = $2, version = $3, started_at = coalesce(started_at, now()) WHERE node = $1")

  /// Stores a node's host name and release, and on the first call the present time as its start, for operators. Does
  /// nothing if the node has never had a lease.
  package static func describe(_ node: UUIDValue, host: String, version: String) -> Query<Void> {
    return Query(describeStatement, node, host, version) { _ in }
  }

  private static let leaveStatement = Statement(
    "nodes-leave", "UPDATE nodes SET alive_until = least(alive_until, now() - interval '1 second') WHERE node = $1")

  /// Ends this node's lease when the node stops in an orderly way, so that other nodes need not wait until the lease
  /// expires.
  package static func leave(_ node: UUIDValue) -> Query<Void> {
    Query(leaveStatement, node) { _ in }
  }

  private static let buryStatement = Statement(
    "nodes-bury",
    """
    WITH forgotten AS (DELETE FROM nodes WHERE left_nothing_at < now() - interval '1 day')
    -- A minute: one that was frozen may commit a last claim.
    UPDATE nodes n SET left_nothing_at = now() WHERE left_nothing_at IS NULL AND alive_until < now() - interval '1 minute'
      AND NOT EXISTS (SELECT FROM claims c WHERE c.node = n.node)
    """)

  /// Marks nodes whose lease ended over a minute ago and that have no claims left, and deletes those that were marked
  /// over a day ago. Marked nodes are ignored in the search for abandoned claims.
  package static func bury() -> Query<Void> {
    Query(buryStatement) { _ in }
  }

  private static let giveUpStatement = Statement(
    "nodes-give-up",
    """
    -- To the node that does not exist: whoever is alive takes them over once their message is resumed.
    UPDATE claims SET node = '00000000-0000-0000-0000-000000000000', fence = fence + 1 WHERE claim = ANY(ARRAY(
      SELECT c.claim FROM nodes n CROSS JOIN LATERAL (
        -- One node after the other, as when they are adopted.
        SELECT c.claim FROM claims c JOIN messages m ON m.seqno = c.seqno
        WHERE c.node = n.node AND \(Controls.isSetAside) IS TRUE
        ORDER BY c.claim LIMIT $1 FOR UPDATE OF c SKIP LOCKED) c
      WHERE n.left_nothing_at IS NULL AND n.alive_until < now() - interval '1 minute'))
    """)

  /// Releases at most `limit` claims, of messages that were set aside, of each node whose lease ended over a minute ago
  /// and that is not marked yet: these are adopted by nobody before their message is resumed, and would keep the node
  /// from being marked until then. Skips claims that another transaction has locked.
  package static func giveUp(atMost limit: Int) -> Query<Void> {
    Query(giveUpStatement, limit) { _ in }
  }

  private static let extendStatement = Statement(
    "seqno-ranges-extend",
    "SELECT extend_seqno_ranges($1)")

  /// Creates partitions for the next `width` SEQNOs if fewer than `width` unused SEQNOs have partitions. Returns the
  /// upper bound of the new partitions, exclusive; nil if none were needed. Fails with `lockNotAvailable` if another
  /// session has a conflicting lock; try again later.
  package static func extendRanges(width: Int64) -> Query<Int64?> {
    Query(one: extendStatement, width) { $0.optionalInt64() }
  }
}
