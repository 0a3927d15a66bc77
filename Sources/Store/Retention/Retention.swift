internal import Postgres

/// The deletion of data that is no longer needed: gates, waves, shards and schedules of finished messages; send meters
/// of devices; memberships of deleted groups; event deliveries to deleted webhooks; old fallbacks, events, failure
/// reports and counts of identity refusals; and the rejected lines, stored parts and unfinished lines of old imports.
/// The messages and imports themselves are kept, with their totals.
package enum Retention {
  /// SQL condition: the message of row `t` ended more than two days ago, or is gone: if messages are kept for only a
  /// day, they are deleted first. Until shortly before the two days are over, a message can be reopened, because
  /// refusals that were the server's fault become pending again. Written as a subquery, so that every plan looks the
  /// messages up one by one.
  private static let ended = """
    coalesce((SELECT m.finished_at IS NOT NULL AND m.finished_at < now() - interval '2 days'
      FROM messages m WHERE m.seqno = t.seqno), true)
    """

  private static let gatesStatement = Statement(
    "retention-gates",
    "DELETE FROM gates WHERE seqno IN (SELECT seqno FROM gates t WHERE \(ended) LIMIT $1)")

  private static let wavesStatement = Statement(
    "retention-waves",
    "DELETE FROM waves WHERE seqno IN (SELECT seqno FROM waves t WHERE \(ended) LIMIT $1)")

  private static let shardsStatement = Statement(
    "retention-shards",
    "DELETE FROM shards WHERE seqno IN (SELECT seqno FROM shards t WHERE \(ended) LIMIT $1)")

  private static let schedulesStatement = Statement(
    "retention-schedules",
    """
    DELETE FROM schedules WHERE schedule IN (
      SELECT schedule FROM schedules s
      -- Begun in the transaction that makes its first message.
      WHERE s.created_at < now() - interval '2 days' AND NOT EXISTS (
        -- As long as it goes on there is a message that waits for its time.
        SELECT FROM messages m WHERE m.schedule = s.schedule
          AND (m.finished_at IS NULL OR m.finished_at > now() - interval '2 days'))
      LIMIT $1)
    """)

  /// Deletes send meters that began over an hour ago. Skips locked rows, because this statement does not lock rows in
  /// key order as writers do, and could deadlock with them.
  private static let metersStatement = Statement(
    "retention-device-send-meters",
    """
    DELETE FROM device_send_meters WHERE device IN (
      SELECT device FROM device_send_meters WHERE window_began < now() - interval '1 hour' LIMIT $1
      FOR UPDATE SKIP LOCKED)
    """)

  /// Deletes memberships of groups that are gone: the many of a large group (`GroupTree.delete`), and those that were
  /// written after the deletion, because a device that joins by itself, or is brought in from another push server, does
  /// not hold the group (`Groups.hold`). Goes through the index from group to group, so that not all memberships are
  /// read. Skips locked rows, as above.
  private static let membersStatement = Statement(
    "retention-group-members",
    """
    WITH RECURSIVE joined AS (
      (SELECT app, groupseq FROM group_members ORDER BY app, groupseq LIMIT 1)
      UNION ALL
      SELECT n.app, n.groupseq FROM joined j, LATERAL (
        SELECT m.app, m.groupseq FROM group_members m WHERE (m.app, m.groupseq) > (j.app, j.groupseq)
        ORDER BY m.app, m.groupseq LIMIT 1) n)
    DELETE FROM group_members WHERE (app, user_key, groupseq) IN (
      SELECT m.app, m.user_key, m.groupseq
      FROM joined j JOIN group_members m ON m.app = j.app AND m.groupseq = j.groupseq
      WHERE NOT EXISTS (SELECT FROM groups g WHERE g.groupseq = j.groupseq) LIMIT $1
      FOR UPDATE OF m SKIP LOCKED)
    """)

  /// Deletes event deliveries to webhooks that are gone: the many of a busy one (`Webhooks.delete`), and those that were
  /// written after the deletion, because a transaction that writes an event does not lock the webhooks to be told.
  /// Nobody would make such a delivery, and its event would be kept for ever. Goes through the index from webhook to
  /// webhook, as above.
  private static let deliveriesStatement = Statement(
    "retention-event-deliveries",
    """
    WITH RECURSIVE told AS (
      (SELECT webhook FROM event_deliveries ORDER BY webhook LIMIT 1)
      UNION ALL
      SELECT n.webhook FROM told t, LATERAL (
        SELECT d.webhook FROM event_deliveries d WHERE d.webhook > t.webhook ORDER BY d.webhook LIMIT 1) n)
    , gone AS MATERIALIZED (
      SELECT webhook FROM told t WHERE NOT EXISTS (SELECT FROM webhooks w WHERE w.webhook = t.webhook))
    DELETE FROM event_deliveries WHERE (event, webhook) IN (
      SELECT d.event, d.webhook FROM gone g CROSS JOIN LATERAL (
        SELECT event, webhook FROM event_deliveries WHERE webhook = g.webhook LIMIT $1 FOR UPDATE SKIP LOCKED) d
      LIMIT $1)
    """)

  /// Deletes counts of more than 90 days ago of what identity modes refused or would have refused. They are shown for
  /// 30 days.
  private static let identityRefusalsStatement = Statement(
    "retention-identity-refusals",
    """
    DELETE FROM identity_refusals WHERE (app, day, writer) IN (
      SELECT app, day, writer FROM identity_refusals WHERE day < current_date - 90 LIMIT $1)
    """)

  /// Deletes the rejected lines of imports that began over 30 days ago, because the lines contain personal data.
  private static let importErrorsStatement = Statement(
    "retention-import-errors",
    """
    DELETE FROM import_errors WHERE (import, line) IN (
      SELECT e.import, e.line FROM import_errors e JOIN imports i ON i.import = e.import
      WHERE i.created_at < now() - interval '30 days' LIMIT $1)
    """)

  /// Deletes the stored parts of imports that began over 30 days ago. Finished imports have none.
  private static let importPartsStatement = Statement(
    "retention-import-parts",
    """
    DELETE FROM import_parts WHERE (import, part) IN (
      SELECT p.import, p.part FROM import_parts p JOIN imports i ON i.import = p.import
      WHERE i.created_at < now() - interval '30 days' LIMIT $1)
    """)

  /// Empties the unfinished last lines of imports that began over 30 days ago. Finished imports have none.
  private static let importRestsStatement = Statement(
    "retention-import-rests",
    """
    UPDATE imports SET rest = '' WHERE import IN (
      SELECT import FROM imports WHERE rest <> '' AND created_at < now() - interval '30 days' LIMIT $1
      FOR UPDATE SKIP LOCKED)
    """)

  /// Returns the queries that delete what this type describes. Each finds at most `limit` rows, and returns the number
  /// deleted; of the messages found, all waves or shards are deleted. Fewer than `limit`: nothing is left.
  package static func prune(atMost limit: Int) -> [Query<Int>] {
    var parameters = Parameters()
    parameters.append(limit)
    return [
      gatesStatement, wavesStatement, shardsStatement, schedulesStatement, metersStatement, membersStatement,
      deliveriesStatement, Fallbacks.pruneStatement, Events.pruneStatement, RecipientEvents.pruneStatement,
      FailureReports.pruneStatement, identityRefusalsStatement, importErrorsStatement, importPartsStatement,
      importRestsStatement,
    ].map { statement in Query(statement, parameters) { $0.affected } }
  }
}
