internal import Postgres
package import Time

/// State of all nodes and of the database itself, for the page about the server's health.
package struct DatabaseState: Sendable {
  /// A node that has or had a lease.
  package struct Node: Equatable, Sendable {
    package let id: String
    /// When the node's lease ends or has ended, by the database's clock.
    package let aliveUntil: Timestamp
    package let isAlive: Bool
    /// Name of the node's machine; nil before the node has reported it.
    package let host: String?
    /// The node's release; nil before the node has reported it.
    package let version: String?
    /// When the node first reported its machine and release; nil before that.
    package let startedAt: Timestamp?
    /// Number of the node's claims.
    package let claims: Int64
    /// Number of devices in these claims.
    package let devices: Int64
  }

  /// The nodes with the newest leases, newest first, at most 100. `read` leaves this empty; see `nodes()`.
  package var nodes: [Node]
  package let connections: Int64
  package let mostConnections: Int64
  /// Age in seconds of the oldest open transaction visible to our database role; 0 if there is none.
  package let oldestTransactionSeconds: Double
  /// Replay delay of the slowest standby, in seconds; nil if no standby is connected, or our role may not see it.
  package let replicationSeconds: Double?
  package let version: String
  /// Size of this database, in bytes.
  package let bytes: Int64
  /// Size of the write-ahead log, in bytes; nil if our role may not see it. `read` leaves this nil; see `walBytes()`.
  package var walBytes: Int64?

  private static let nodesStatement = Statement(
    "database-state-nodes",
    """
    SELECT n.node::text, n.alive_until, n.alive_until > clock_timestamp(), n.host, n.version, n.started_at, c.claims,
      c.devices
    FROM (SELECT * FROM nodes ORDER BY alive_until DESC LIMIT 100) n CROSS JOIN LATERAL (
      SELECT count(*) AS claims, coalesce(sum(coalesce(devices_count, cardinality(devices))), 0)::bigint AS devices
      FROM claims WHERE claims.node = n.node) c
    ORDER BY n.alive_until DESC
    """)

  private static let statement = Statement(
    "database-state",
    """
    SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
      current_setting('max_connections')::bigint,
      (SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float8 FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()),
      (SELECT max(extract(epoch FROM replay_lag))::float8 FROM pg_stat_replication),
      current_setting('server_version'), pg_database_size(current_database())
    """)

  private static let mayReadWALStatement = Statement(
    "database-state-may-read-wal", "SELECT has_function_privilege('pg_ls_waldir()', 'execute')")

  private static let walStatement = Statement(
    "database-state-wal", "SELECT coalesce(sum(size), 0)::bigint FROM pg_ls_waldir()")

  /// Returns whether our role may read the size of the write-ahead log, as members of `pg_monitor` may.
  package static func mayReadWAL() -> Query<Bool> { Query(one: mayReadWALStatement) { $0.bool() } }

  /// Returns the size of the write-ahead log, in bytes. Fails if our role may not read it (`mayReadWAL`).
  package static func walBytes() -> Query<Int64> { Query(one: walStatement) { $0.int64() } }

  package static func nodes() -> Query<[Node]> {
    Query(each: nodesStatement) { row in
      Node(
        id: row.text(), aliveUntil: row.timestamp(), isAlive: row.bool(), host: row.optionalText(),
        version: row.optionalText(), startedAt: row.optionalTimestamp(), claims: row.int64(), devices: row.int64())
    }
  }

  /// Reads the state, except the nodes, which are left empty, and the size of the write-ahead log, which is left nil.
  package static func read() -> Query<DatabaseState> {
    Query(one: statement) { row in
      DatabaseState(
        nodes: [], connections: row.int64(), mostConnections: row.int64(),
        oldestTransactionSeconds: row.double(), replicationSeconds: row.optionalDouble(),
        version: row.text(), bytes: row.int64())
    }
  }
}
