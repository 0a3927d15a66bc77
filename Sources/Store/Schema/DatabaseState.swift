internal import Postgres

/// What the database knows of all nodes and of itself, for the page on the server's health.
package struct DatabaseState: Sendable {
  /// A node that has or had a lease.
  package struct Node: Equatable, Sendable {
    package let id: String
    /// When its lease ends or has ended, in microseconds since 1970.
    package let aliveUntil: Int64
    package let isAlive: Bool
  }

  /// The nodes with the newest leases, at most 100.
  package var nodes: [Node]
  package let connections: Int64
  package let mostConnections: Int64
  /// Age of the oldest open transaction that this role may see; 0: there is none.
  package let oldestTransactionSeconds: Double
  /// The slowest standby's delay in replaying; nil: no standby is connected, or this role may not see it.
  package let replicationSeconds: Double?
  package let version: String

  private static let nodesStatement = Statement(
    "database-state-nodes",
    """
    SELECT node::text, alive_until, alive_until > clock_timestamp() FROM nodes ORDER BY alive_until DESC LIMIT 100
    """)

  private static let statement = Statement(
    "database-state",
    """
    SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
      current_setting('max_connections')::bigint,
      (SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float8 FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()),
      (SELECT max(extract(epoch FROM replay_lag))::float8 FROM pg_stat_replication),
      current_setting('server_version')
    """)

  package static func nodes() -> Query<[Node]> {
    Query(each: nodesStatement) { row in
      Node(id: row.text(), aliveUntil: row.timestamp(), isAlive: row.bool())
    }
  }

  /// Returns the state without nodes.
  package static func read() -> Query<DatabaseState> {
    Query(one: statement) { row in
      DatabaseState(
        nodes: [], connections: row.int64(), mostConnections: row.int64(),
        oldestTransactionSeconds: row.double(), replicationSeconds: row.optionalDouble(),
        version: row.text())
    }
  }
}
