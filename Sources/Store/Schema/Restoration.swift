package import Postgres

/// What a database needs around being restored from a backup.
///
/// A backup shows one instant; the server went on after it. What was unfinished then may have gone out since, and SEQNOs
/// were given that the backup knows nothing of. So nothing of it goes out by itself, and no SEQNO is given again: devices
/// drop those that they have seen.
///
/// A table marks the time between the first row and the last of these steps: a server that finds it does not start.
package enum Restoration {
  private static let tablesStatement = Statement(
    "restoration-tables",
    """
    SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
      AND c.relname <> 'upmc_restoring'
    """)

  /// Tables, views and sequences that are there, whoever made them.
  package static func tables() -> Query<Int64> {
    Query(tablesStatement, Parameters()) { $0.int64(0, 0) }
  }

  private static let isUnfinishedStatement = Statement(
    "restoration-is-unfinished", "SELECT to_regclass('upmc_restoring') IS NOT NULL")

  /// True when a restore has begun and not ended.
  package static func isUnfinished() -> Query<Bool> {
    Query(isUnfinishedStatement, Parameters()) { $0.bool(0, 0) }
  }

  /// Marks the database.
  package static func begin(on connection: Connection) throws(PostgresError) {
    try connection.script("CREATE TABLE IF NOT EXISTS upmc_restoring ()")
  }

  /// Takes the mark away from a database into which nothing has been brought.
  package static func giveUp(on connection: Connection) throws(PostgresError) {
    guard try connection.run(tables()) == 0 else { return }
    try connection.script("DROP TABLE IF EXISTS upmc_restoring")
  }

  private static let databaseNameStatement = Statement("restoration-database-name", "SELECT current_database()::text")

  /// The database that a connection has found, whoever named it.
  package static func databaseName() -> Query<String> {
    Query(databaseNameStatement, Parameters()) { $0.text(0, 0) }
  }

  /// What was done to a restored database.
  package struct Settled: Sendable {
    package let pausedMessages: Int64
    package let pausedApps: Int64
    /// The next message gets a number above this.
    package let lastSeqno: Int64
  }

  private static let pauseMessagesStatement = Statement(
    "restoration-pause-messages",
    """
    UPDATE messages SET state = 3, state_reason =
      'Restored from a backup: parts of it may have gone out since. Resume it, or cancel it.'
    WHERE state IN (1, 2)
    """)

  private static let pauseAppsStatement = Statement(
    "restoration-pause-apps",
    """
    UPDATE apps a SET paused_reason =
      'Restored from a backup: a scheduled message whose time has come may have gone out. Cancel it if so, then resume.'
    WHERE paused_reason IS NULL AND EXISTS (
      SELECT FROM messages m WHERE m.app = a.app AND m.state = 0 AND m.due_at <= now())
    """)

  /// Their leases end with them: what they had claimed is taken over, as after any crash.
  private static let forgetNodesStatement = Statement("restoration-forget-nodes", "DELETE FROM nodes")

  private static let moveSequenceStatement = Statement(
    "restoration-move-sequence",
    """
    SELECT setval('messages_seqno_seq', greatest(
      (SELECT coalesce(last_value, 0) FROM pg_sequences
       WHERE schemaname = 'public' AND sequencename = 'messages_seqno_seq'),
      (SELECT coalesce(max(seqno), 0) FROM messages)) + $1)
    """)

  /// Makes a restored database safe to serve from, and takes the mark away, all or nothing.
  /// - Parameter ahead: how many SEQNOs are left out.
  package static func settle(ahead: Int64, on connection: Connection) throws(PostgresError) -> Settled {
    try connection.transaction { () throws(PostgresError) in
      let messages = try connection.run(pauseMessagesStatement).affected
      let apps = try connection.run(pauseAppsStatement).affected
      try connection.run(forgetNodesStatement)
      var parameters = Parameters()
      parameters.append(ahead)
      let last = try connection.run(moveSequenceStatement, parameters).int64(0, 0)
      try connection.run(Incarnations.begin())
      while try connection.run(Nodes.extendRanges(width: Store.Limits.partitionSeqnos)) != nil {}
      try connection.script("DROP TABLE IF EXISTS upmc_restoring")
      return Settled(pausedMessages: Int64(messages), pausedApps: Int64(apps), lastSeqno: last)
    }
  }
}
