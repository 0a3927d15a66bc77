internal import Postgres

/// The deletion of messages that ended so long ago that not even their totals are needed any more. Statistics per
/// minute, hour and day are stored separately and are kept.
package enum OldMessages {
  private static let pruneStatement = Statement(
    "old-messages-prune",
    """
    WITH old AS (
      SELECT m.seqno FROM seqno_ranges r CROSS JOIN LATERAL (
        SELECT seqno, finished_at FROM messages WHERE seqno >= r.from_seqno AND seqno < r.upto_seqno
          -- Reads of what is still in inboxes are told by it.
          AND (inbox_seconds IS NULL
            OR NOT EXISTS (SELECT FROM inbox_messages i WHERE i.seqno = coalesce(messages.inbox_of, messages.seqno)))
        ORDER BY seqno LIMIT $2 FOR UPDATE SKIP LOCKED) m
      -- Only where the history went long before: when a range was closed all of it had ended that many days ago. So what is
      -- read is what is removed.
      WHERE r.dropped_at IS NOT NULL AND r.closed_at < now() - make_interval(days => $3)
        AND m.finished_at < now() - make_interval(days => $1)
      LIMIT $2)
    , totals AS (DELETE FROM message_totals t USING old o WHERE t.seqno = o.seqno)
    , reasons AS (DELETE FROM reason_totals t USING old o WHERE t.seqno = o.seqno)
    , short AS (DELETE FROM fallbacks t USING old o WHERE t.seqno = o.seqno)
    DELETE FROM messages m USING old o WHERE m.seqno = o.seqno
    """)

  /// Deletes at most `limit` messages that ended more than `days` ago, with their totals, fallbacks and idempotency
  /// keys, and returns their number. Keeps messages that are still in inboxes, and those whose range of SEQNOs has not
  /// been dropped, or was closed less than `days - historyDays` days ago. Skips locked rows.
  /// - Parameter historyDays: the number of days for which history is kept.
  package static func prune(afterDays days: Int32, historyDays: Int32, atMost limit: Int) -> Query<Int> {
    Query(pruneStatement, days, limit, max(0, days - historyDays)) { $0.affected }
  }

  private static let approvalsStatement = Statement(
    "old-messages-approvals",
    """
    DELETE FROM approvals WHERE approval IN (
      SELECT approval FROM approvals WHERE requested_at < now() - make_interval(days => $1) AND ends_at < now()
      ORDER BY approval LIMIT $2)
    """)

  /// Deletes at most `limit` approvals that were requested more than `days` ago and whose deadline has passed, decided
  /// or not, and returns their number.
  package static func pruneApprovals(afterDays days: Int32, atMost limit: Int) -> Query<Int> {
    Query(approvalsStatement, days, limit) { $0.affected }
  }
}
