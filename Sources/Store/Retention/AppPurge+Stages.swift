internal import Domain
internal import Postgres

/// The stages of an app's removal, in order.
extension AppPurge {
  /// What one transaction may remove: at most `limit` rows of each table.
  struct Portion {
    let app: App.Number
    /// The key at which a stage that walks through a table continues; empty to start at the beginning.
    let place: String
    let limit: Int

    var parameters: Parameters {
      Parameters(app, limit)
    }
  }

  struct Done {
    var removed: Int64
    /// Where the stage continues, empty for the beginning; nil if it has nothing left to remove.
    var place: String?
    var waits = false
  }

  struct Stage: Sendable {
    let name: String
    let remove: @Sendable (Portion, Connection) throws(PostgresError) -> Done
  }

  static let stages: [Stage] =
    [statement("stop", stop), Stage(name: "settle", remove: settle)]
    // Remove first whatever grants access.
    + ["credentials", "webhooks", "api_keys", "accounts"].map(table)
    + [walk("devices", devices)]
    + ["psids", "former_psids", "former_users", "vouchers", "identity_refusals", "device_notices"].map(table)
    + ["users", "group_members", "badge_ledger", "badge_syncs", "erasures", "test_recipients"].map(table)
    + ["event_erasures", "inbox_entries"].map(table)
    + [walk("events", events), walk("hosted_files", hostedFiles), Stage(name: "messages", remove: messages)]
    + ["erasure_rests", "fallbacks", "inbox_messages", "approvals", "approval_loosenings"].map(table)
    + ["saved_messages", "segments"].map(table)
    + [
      part("csv_lines", keys: "csv, user_key", of: "csv_audiences", by: "csv"),
      part("import_errors", keys: "import, line", of: "imports", by: "import"),
      part("import_parts", keys: "import, part", of: "imports", by: "import"),
      part("channel_updates", keys: "channel, key", of: "channels", by: "channel"),
    ]
    + ["csv_audiences", "imports", "channels", "schedules"].map(table) + [Stage(name: "groups", remove: groups)]
    + ["statistics_minutes", "statistics_hours", "statistics_days", "audit_readings"].map(table)

  // MARK: Stage constructors

  /// Returns a stage that repeats a statement until it affects fewer rows than allowed. `$1` is the app, `$2` the
  /// maximum number of rows.
  private static func statement(_ name: String, _ statement: Statement) -> Stage {
    Stage(name: name) { (portion, connection) throws(PostgresError) in
      let removed = try connection.run(statement, portion.parameters).affected
      return Done(removed: Int64(removed), place: removed < portion.limit ? nil : "")
    }
  }

  /// Returns a stage for a table with a column `app`, which either has an index on it or is small.
  private static func table(_ name: String) -> Stage {
    statement(
      name,
      Statement(
        "app-purge-\(name)",
        "DELETE FROM \(name) WHERE ctid = ANY(ARRAY(SELECT ctid FROM \(name) WHERE app = $1 LIMIT $2)) AND app = $1"))
  }

  /// Returns a stage for a table whose rows belong to rows of another table, `owner`, which has the column `app`.
  private static func part(_ name: String, keys: String, of owner: String, by key: String) -> Stage {
    statement(
      name,
      Statement(
        "app-purge-\(name)",
        """
        DELETE FROM \(name) WHERE (\(keys)) IN (
          SELECT \(keys) FROM \(name) WHERE \(key) IN (SELECT \(key) FROM \(owner) WHERE app = $1) LIMIT $2)
        """))
  }

  /// Returns a stage that walks through a table by its key, because no index leads to the app's rows. `$1` and `$2` are
  /// as in `statement`; `$3` is the key after which to continue, empty for the beginning. The statement returns the
  /// last key that it has read, NULL at the end of the table, and the number of rows that it has removed.
  private static func walk(_ name: String, _ statement: Statement) -> Stage {
    Stage(name: name) { (portion, connection) throws(PostgresError) in
      var parameters = portion.parameters
      parameters.append(portion.place)
      return try connection.run(statement, parameters).decodeOne { row in
        let place = row.optionalText()
        return Done(removed: row.int64(), place: place)
      }
    }
  }

  // MARK: Statements

  private static let stop = Statement(
    "app-purge-stop",
    """
    UPDATE messages SET state = \(MessageState.cancelled.sql), held = \(MessageHold.none.sql),
      cancelled_at = coalesce(cancelled_at, clock_timestamp()), finished_at = clock_timestamp()
    WHERE seqno IN (
      SELECT seqno FROM messages WHERE app = $1 AND state < \(MessageState.completed.sql) LIMIT $2 FOR UPDATE)
    """)

  private static let claimsStatement = Statement(
    "app-purge-claims",
    "SELECT EXISTS (SELECT FROM claims c JOIN messages m ON m.seqno = c.seqno WHERE m.app = $1)")

  /// Removes nothing. The stage waits while the app has claims, whose nodes have yet to write outcomes.
  @Sendable private static func settle(_ portion: Portion, _ connection: Connection) throws(PostgresError) -> Done {
    Done(removed: 0, waits: try connection.run(claimsStatement, Parameters(portion.app)).decodeOne { $0.bool() })
  }

  private static let devices = Statement(
    "app-purge-devices",
    """
    WITH part AS MATERIALIZED (
      SELECT device, app FROM devices
      WHERE device > coalesce(nullif($3, ''), '00000000-0000-0000-0000-000000000000')::uuid ORDER BY device LIMIT $2)
    , meters AS (DELETE FROM device_send_meters m USING part p WHERE p.app = $1 AND m.device = p.device)
    , gone AS (DELETE FROM devices d USING part p WHERE p.app = $1 AND d.device = p.device RETURNING 1)
    SELECT (SELECT device::text FROM part ORDER BY device DESC LIMIT 1), (SELECT count(*) FROM gone)
    """)

  private static let events = Statement(
    "app-purge-events",
    """
    WITH part AS MATERIALIZED (
      SELECT event, app FROM events WHERE event > coalesce(nullif($3, ''), '0')::bigint ORDER BY event LIMIT $2)
    , told AS (DELETE FROM event_deliveries d USING part p WHERE p.app = $1 AND d.event = p.event RETURNING 1)
    , gone AS (DELETE FROM events e USING part p WHERE p.app = $1 AND e.event = p.event RETURNING 1)
    SELECT (SELECT max(event)::text FROM part), (SELECT count(*) FROM gone) + (SELECT count(*) FROM told)
    """)

  private static let hostedFiles = Statement(
    "app-purge-hosted-files",
    """
    WITH part AS MATERIALIZED (
      SELECT name, app FROM hosted_files WHERE name > $3 ORDER BY name LIMIT least($2, 200))
    , parts AS (DELETE FROM hosted_parts h USING part p WHERE p.app = $1 AND h.name = p.name RETURNING 1)
    , gone AS (DELETE FROM hosted_files f USING part p WHERE p.app = $1 AND f.name = p.name RETURNING 1)
    SELECT (SELECT max(name) FROM part), (SELECT count(*) FROM gone) + (SELECT count(*) FROM parts)
    """)

  private static let groupsStatement = Statement(
    "app-purge-groups",
    """
    DELETE FROM groups WHERE groupseq IN (
      SELECT groupseq FROM groups g
      WHERE g.app = $1 AND NOT EXISTS (SELECT FROM groups below WHERE below.parent = g.groupseq) LIMIT $2)
    """)

  /// Removes groups without subgroups. The stage is repeated until there are none, which removes the tree from its
  /// leaves up.
  @Sendable private static func groups(_ portion: Portion, _ connection: Connection) throws(PostgresError) -> Done {
    let removed = try connection.run(groupsStatement, portion.parameters).affected
    return Done(removed: Int64(removed), place: removed == 0 ? nil : "")
  }

  // MARK: Messages

  /// The tables with rows that belong to messages, with the key by which a portion of them is deleted.
  private static let ofMessages: [(name: String, statement: Statement)] = [
    ("outcomes", "seqno, device"), ("row_receipts", "seqno, device"), ("row_reads", "seqno, device"),
    ("blocks", "seqno, block"), ("block_states", "seqno, block"), ("block_confirmations", "seqno, block, is_read"),
    ("waits", "seqno, block, due_at, reason"), ("confirmation_log", "seqno, id"), ("fallbacks", "seqno, user_key"),
    ("message_totals", "seqno, writer"), ("reason_totals", "seqno, reason, writer"), ("shards", "seqno, shard"),
    ("waves", "seqno, wave"), ("gates", "seqno"), ("failure_reports", "report"), ("inbox_messages", "seqno"),
  ].map { name, keys in
    (
      name,
      Statement(
        "app-purge-messages-\(name)",
        // The condition on `seqno` occurs twice: PostgreSQL uses the outer one to exclude partitions.
        """
        DELETE FROM \(name) WHERE seqno = ANY($1) AND (\(keys)) IN (
          SELECT \(keys) FROM \(name) WHERE seqno = ANY($1) ORDER BY \(keys) LIMIT $2)
        """)
    )
  }

  private static let seqnosStatement = Statement(
    "app-purge-seqnos", "SELECT seqno FROM messages WHERE app = $1 ORDER BY seqno LIMIT least($2, 500) FOR UPDATE")
  private static let messagesStatement = Statement("app-purge-messages", "DELETE FROM messages WHERE seqno = ANY($1)")

  /// Removes the app's next 500 messages at most, with all rows that belong to them, over as many calls as the limit
  /// requires. The messages themselves are removed last, so that no row without a message is left.
  @Sendable private static func messages(_ portion: Portion, _ connection: Connection) throws(PostgresError) -> Done {
    let found = try connection.run(seqnosStatement, portion.parameters)
    guard found.count > 0 else { return Done(removed: 0) }
    var seqnos = Int64Column()
    found.forEach { row in seqnos.append(row.int64()) }
    let list = Parameters(seqnos)
    var removed: Int64 = 0
    for (name, statement) in ofMessages {
      // A row of these tables holds the deliveries of up to thousands of devices.
      let limit = name.hasPrefix("block") ? max(1, portion.limit / 100) : portion.limit
      var parameters = list
      parameters.append(limit)
      let gone = try connection.run(statement, parameters).affected
      removed += Int64(gone)
      if gone >= limit { return Done(removed: removed, place: "") }
    }
    removed += Int64(try connection.run(messagesStatement, list).affected)
    return Done(removed: removed, place: "")
  }
}
