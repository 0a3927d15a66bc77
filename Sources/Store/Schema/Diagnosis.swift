package import Domain
internal import Postgres
package import Time

/// Facts about a database server and our data in it that help an operator to find a fault.
package enum Diagnosis {
  package struct Server: Sendable {
    /// Version in PostgreSQL's numeric form, for example 150018.
    package let version: Int64
    package let user: String
    package let encoding: String
    /// True if the server is a standby that replicates from another one.
    package let isStandby: Bool
    package let isReadOnly: Bool
    /// The time by the server's clock.
    package let wallTime: Timestamp
    /// Those of `fsync`, `full_page_writes` and `synchronous_commit` that are off, separated by spaces; empty if all
    /// are on. Without them, acknowledged commits can be lost.
    package let durabilityOff: String
    package let connections: Int64
    package let maxConnections: Int64
    /// The server's data directory; nil if our role may not see it.
    package let dataDirectory: String?
    /// True if our role may create tables, which migrations and new partitions require.
    package let maySetUp: Bool
  }

  private static let serverStatement = Statement(
    "diagnosis-server",
    """
    SELECT current_setting('server_version_num')::bigint, current_user::text, current_setting('server_encoding'),
      pg_is_in_recovery(), current_setting('transaction_read_only') = 'on',
      clock_timestamp(),
      (SELECT string_agg(name, ' ' ORDER BY name) FROM pg_settings
       WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'),
      (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
      current_setting('max_connections')::bigint,
      -- No row for whoever has no right to see it.
      (SELECT setting FROM pg_settings WHERE name = 'data_directory'),
      coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)
    """)

  /// Reads the facts about the server. Works on any server, even one without our schema.
  package static func server() -> Query<Server> {
    Query(one: serverStatement) { row in
      Server(
        version: row.int64(), user: row.text(), encoding: row.text(), isStandby: row.bool(), isReadOnly: row.bool(),
        wallTime: row.timestamp(), durabilityOff: row.optionalText() ?? "", connections: row.int64(),
        maxConnections: row.int64(), dataDirectory: row.optionalText(), maySetUp: row.bool())
    }
  }

  private static let hasSandboxDevicesStatement = Statement(
    "diagnosis-has-sandbox-devices",
    """
    SELECT EXISTS (SELECT FROM devices WHERE app = $1 AND network = \(PushNetwork.apns.sql)
      AND environment = \(PushEnvironment.sandbox.sql) AND state = \(Devices.State.active.sql))
    """)

  /// Returns whether an app has an active device in Apple's sandbox.
  package static func hasSandboxDevices(of app: App.Number) -> Query<Bool> {
    Query(one: hasSandboxDevicesStatement, app) { $0.bool() }
  }

  // MARK: Sessions

  /// An open transaction, for example one that has been open for too long.
  package struct OldTransaction: Sendable {
    /// Description of the session, for example `pid 4711, psql of kim at 10.0.0.7`, or of the prepared transaction.
    package let who: String
    package let seconds: Int64
    /// True if the transaction is waiting for its client to send the next statement, or is prepared.
    package let isIdle: Bool

    package init(who: String, seconds: Int64, isIdle: Bool) {
      self.who = who
      self.seconds = seconds
      self.isIdle = isIdle
    }
  }

  private static let transactionsStatement = Statement(
    "diagnosis-transactions",
    """
    SELECT DISTINCT ON (is_idle) who, seconds, is_idle FROM (
      SELECT 'pid ' || pid || ', ' || coalesce(nullif(application_name, ''), 'a program without a name') || ' of '
          || coalesce(usename, '?') || coalesce(' at ' || host(client_addr), '') AS who,
        extract(epoch FROM clock_timestamp() - xact_start)::bigint AS seconds,
        state LIKE 'idle in transaction%' AS is_idle
      FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
        AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL OR state LIKE 'idle in transaction%')
        AND backend_type IN ('client backend', 'walsender')
      UNION ALL
      SELECT 'prepared transaction ' || gid, extract(epoch FROM clock_timestamp() - prepared)::bigint, true
      FROM pg_prepared_xacts WHERE database = current_database()) t
    ORDER BY is_idle, seconds DESC
    """)

  /// Returns the oldest active and the oldest idle transaction in this database, whatever their age, except our own: at
  /// most two. Only a member of `pg_read_all_stats` sees the transactions of other roles.
  package static func oldTransactions() -> Query<[OldTransaction]> {
    Query(each: transactionsStatement) { row in
      OldTransaction(who: row.text(), seconds: row.int64(), isIdle: row.bool())
    }
  }

  // MARK: Time zones

  private static let unknownZonesStatement = Statement(
    "diagnosis-unknown-zones",
    """
    SELECT string_agg(app_id || ' (' || time_zone || ')', ', ' ORDER BY app_id) FROM apps
    WHERE time_zone NOT IN (SELECT name FROM pg_timezone_names)
    """)

  /// Returns the apps whose time zones are missing in the server's time zone data, as text with their zones; nil if
  /// there are none. Makes PostgreSQL read many files, which takes some tenths of a second.
  package static func appsInUnknownZones() -> Query<String?> {
    Query(one: unknownZonesStatement) { $0.optionalText() }
  }

  // MARK: Receipts

  private static let unfoldedStatement = Statement(
    "diagnosis-unfolded",
    "SELECT (extract(epoch FROM now() - min(logged_at)) / 60)::bigint FROM confirmation_log")

  /// Returns how long the oldest receipt or read has been waiting in the log to be folded, in minutes; nil if the log
  /// is empty.
  package static func unfoldedMinutes() -> Query<Int64?> {
    Query(one: unfoldedStatement) { $0.optionalInt64() }
  }

  // MARK: History

  package struct History: Sendable {
    /// Names of the partitions that are missing for ranges that are not closed, separated by spaces; nil if none is
    /// missing.
    package let missingPartitions: String?
    /// Hours since the oldest closed range that is not dropped yet was closed; nil if there is none.
    package let waitingHours: Int64?
    /// SEQNO of the oldest unfinished message that keeps a range open beyond its retention; nil if there is none.
    package let heldBackBy: Int64?
  }

  private static let historyStatement = Statement(
    "diagnosis-history",
    """
    SELECT
      (SELECT string_agg(t.name || '_' || from_seqno, ' ' ORDER BY from_seqno) FROM seqno_ranges, delivery_tables t
       WHERE closed_at IS NULL AND to_regclass(t.name || '_' || from_seqno) IS NULL),
      (SELECT (extract(epoch FROM now() - min(closed_at)) / 3600)::bigint FROM seqno_ranges WHERE dropped_at IS NULL),
      (SELECT m.seqno FROM seqno_ranges r, LATERAL (
         SELECT seqno FROM messages WHERE seqno >= r.from_seqno AND seqno < r.upto_seqno AND finished_at IS NULL
         ORDER BY seqno LIMIT 1) m
       WHERE r.closed_at IS NULL
         AND (SELECT created_at FROM messages WHERE seqno >= r.upto_seqno ORDER BY seqno LIMIT 1)
           < now() - make_interval(days => $1)
       ORDER BY m.seqno LIMIT 1)
    """)

  /// Returns what is wrong with the ranges of history: missing partitions, the message that keeps a range open for
  /// longer than `days`, and how long a closed range has been waiting to be dropped.
  package static func history(keepingDays days: Int32) -> Query<History> {
    Query(one: historyStatement, days) { row in
      History(
        missingPartitions: row.optionalText(), waitingHours: row.optionalInt64(),
        heldBackBy: row.optionalInt64())
    }
  }
}
