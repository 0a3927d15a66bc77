package import Domain
package import Postgres

/// The preparation of a database before and after a restore from a backup.
///
/// The server continued after the backup was made: messages that are unfinished in the backup may have been sent since,
/// SMS may have been requested for ended messages that were not confirmed, and SEQNOs were assigned that the backup
/// does not contain. So nothing unfinished is resumed automatically, and the SEQNOs are skipped, because devices drop
/// messages with a SEQNO that they have seen.
///
/// From before the first row is restored (`begin`) until the end of these steps (`settle`), a marker table exists. A
/// server that finds it does not start.
package enum Restoration {
  private static let tablesStatement = Statement(
    "restoration-tables",
    """
    SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
      AND c.relname <> 'upmc_restoring'
    """)

  /// Counts the tables, views and sequences in the database, whoever created them, except PostgreSQL's own and the
  /// marker table.
  package static func tables() -> Query<Int64> {
    Query(one: tablesStatement) { $0.int64() }
  }

  private static let isUnfinishedStatement = Statement(
    "restoration-is-unfinished", "SELECT to_regclass('upmc_restoring') IS NOT NULL")

  /// Returns whether a restore has begun and not been completed, that is, whether the marker table exists.
  package static func isUnfinished() -> Query<Bool> {
    Query(one: isUnfinishedStatement) { $0.bool() }
  }

  private static let nameStatement = Statement(
    "restoration-name",
    """
    WITH former AS (DELETE FROM upmc_restoring)
    INSERT INTO upmc_restoring (backup) VALUES ($1)
    """)

  /// Creates the marker table, unless it exists, and names the backup in it, in place of an earlier one.
  package static func begin(_ backup: String, on connection: Connection) throws(PostgresError) {
    try connection.script("CREATE TABLE IF NOT EXISTS upmc_restoring (backup text NOT NULL)")
    try connection.run(Query(nameStatement, backup) { _ in })
  }

  private static let backupStatement = Statement("restoration-backup", "SELECT backup FROM upmc_restoring")

  /// Returns the backup that the marker table, which must exist, names; nil if it names none.
  package static func backup() -> Query<String?> {
    Query(first: backupStatement) { $0.text() }
  }

  /// Drops the marker table if `tables` counts nothing else, because the restore has then failed before its first
  /// table. Otherwise changes nothing.
  package static func giveUp(on connection: Connection) throws(PostgresError) {
    guard try connection.run(tables()) == 0 else { return }
    try connection.script("DROP TABLE IF EXISTS upmc_restoring")
  }

  private static let databaseNameStatement = Statement("restoration-database-name", "SELECT current_database()::text")

  /// Returns the name of the connected database, however the connection was configured.
  package static func databaseName() -> Query<String> {
    Query(one: databaseNameStatement) { $0.text() }
  }

  /// What `settle` did to a restored database.
  package struct Settled: Sendable {
    package let pausedMessages: Int64
    package let pausedApps: Int64
    /// Number of fallbacks of ended messages whose deadline had passed.
    package let calledOffFallbacks: Int64
    /// The highest SEQNO considered as used; the next message gets a higher one.
    package let lastSeqno: Seqno
  }

  private static let pauseMessagesStatement = Statement(
    "restoration-pause-messages",
    """
    UPDATE messages SET state = \(MessageState.paused.sql), state_reason =
      'Restored from a backup: parts of it may have gone out since. Resume it, or cancel it.'
    WHERE state IN (\(MessageState.queued.sql), \(MessageState.sending.sql))
    """)

  private static let pauseAppsStatement = Statement(
    "restoration-pause-apps",
    """
    UPDATE apps a SET paused_reason =
      'Restored from a backup: a scheduled message whose time has come may have gone out. Cancel it if so, then resume.'
    WHERE paused_reason IS NULL AND EXISTS (
      SELECT FROM messages m WHERE m.app = a.app AND m.state = \(MessageState.scheduled.sql) AND m.due_at <= now())
    """)

  private static let callOffFallbacksStatement = Statement(
    "restoration-call-off-fallbacks",
    """
    UPDATE fallbacks f SET decision = \(Fallbacks.Decision.calledOff.sql), decided_at = clock_timestamp()
    FROM messages m
    -- The fallbacks of a paused message wait until it is resumed. Those whose deadline is still to come were not
    -- decided before the backup or after it.
    WHERE m.seqno = f.seqno AND m.finished_at IS NOT NULL AND f.decision IS NULL AND f.due_at <= clock_timestamp()
    """)

  /// Deleting nodes ends their leases, so their claims are taken over as after any crash.
  private static let forgetNodesStatement = Statement("restoration-forget-nodes", "DELETE FROM nodes")

  private static let moveSequenceStatement = Statement(
    "restoration-move-sequence",
    """
    SELECT setval('messages_seqno_seq', greatest(
      (SELECT coalesce(last_value, 0) FROM pg_sequences
       WHERE schemaname = 'public' AND sequencename = 'messages_seqno_seq'),
      (SELECT coalesce(max(seqno), 0) FROM messages)) + $1)
    """)

  /// Makes a restored database safe to serve from, in one transaction: pauses the messages that are queued or being
  /// sent, and the apps with scheduled messages whose time has come; calls off the fallbacks of ended messages whose
  /// deadline has passed, because an SMS may have been requested since; ends all leases; skips SEQNOs and creates their
  /// partitions; begins a new incarnation; and drops the marker table.
  /// - Parameter ahead: how many SEQNOs are skipped.
  package static func settle(ahead: Int64, on connection: Connection) throws(PostgresError) -> Settled {
    try connection.transaction { () throws(PostgresError) in
      let messages = try connection.run(pauseMessagesStatement).affected
      let apps = try connection.run(pauseAppsStatement).affected
      let fallbacks = try connection.run(callOffFallbacksStatement).affected
      try connection.run(forgetNodesStatement)
      let last = try connection.run(moveSequenceStatement, Parameters(ahead)).decodeOne { $0.seqno() }
      try connection.run(Incarnations.begin())
      while try connection.run(Nodes.extendRanges(width: Store.Limits.partitionSeqnos)) != nil {}
      try connection.script("DROP TABLE IF EXISTS upmc_restoring")
      return Settled(
        pausedMessages: Int64(messages), pausedApps: Int64(apps), calledOffFallbacks: Int64(fallbacks), lastSeqno: last)
    }
  }
}
