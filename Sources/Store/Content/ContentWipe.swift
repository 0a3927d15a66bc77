internal import Domain
internal import Postgres

/// Wipes the encrypted content of confidential messages wherever it is stored, when it is no longer needed: in messages
/// that have ended and whose SMS fallbacks are decided, in approvals that are decided or overdue, and in events without
/// a pending webhook delivery. After some time, ended messages are wiped even if a fallback is undecided, and events
/// even if deliveries are pending. Decision 071.
package enum ContentWipe {
  private static let messagesStatement = Statement(
    "content-wipe-messages",
    """
    UPDATE messages SET sealed = NULL WHERE seqno IN (
      SELECT seqno FROM messages m
      -- A little later: an answer that comes last may have to be given back, and sent again.
      WHERE sealed IS NOT NULL AND finished_at < now() - make_interval(secs => $2)
        AND (finished_at < now() - make_interval(secs => $3)
          OR NOT EXISTS (SELECT FROM fallbacks f WHERE f.seqno = m.seqno AND f.decision IS NULL))
      ORDER BY finished_at LIMIT $1 FOR UPDATE SKIP LOCKED)
    """)

  private static let approvalsStatement = Statement(
    "content-wipe-approvals",
    """
    UPDATE approvals SET sealed = NULL WHERE approval IN (
      SELECT approval FROM approvals WHERE sealed IS NOT NULL AND (state <> \(Approvals.State.waiting.sql) OR $2 AND ends_at < now())
      ORDER BY approval LIMIT $1 FOR UPDATE SKIP LOCKED)
    """)

  private static let eventsStatement = Statement(
    "content-wipe-events",
    """
    UPDATE events SET sealed = NULL WHERE event IN (
      SELECT event FROM events e WHERE sealed IS NOT NULL AND (at < now() - make_interval(secs => $2)
        OR NOT EXISTS (SELECT FROM event_deliveries d JOIN webhooks w ON w.webhook = d.webhook
          WHERE d.event = e.event AND d.state = \(Events.State.waiting.sql)))
      ORDER BY event LIMIT $1 FOR UPDATE SKIP LOCKED)
    """)

  /// Wipes the content of at most `limit` messages that have ended in any way and have no undecided SMS fallback.
  /// Returns the number of wiped messages.
  /// - Parameters:
  ///   - restSeconds: minimum time since a message's end, in seconds.
  ///   - longestSeconds: time since a message's end, in seconds, after which it is wiped even if a fallback is
  ///     undecided.
  package static func messages(atMost limit: Int, restSeconds: Int32, longestSeconds: Int32) -> Query<Int> {
    Query(messagesStatement, limit, restSeconds, longestSeconds) { $0.affected }
  }

  /// Wipes the content of at most `limit` approvals that were decided. Returns the number of wiped approvals.
  /// - Parameter alsoOverdue: true to also wipe undecided ones whose deadline has passed by the database's clock.
  package static func approvals(atMost limit: Int, alsoOverdue: Bool) -> Query<Int> {
    Query(approvalsStatement, limit, alsoOverdue) { $0.affected }
  }

  /// Wipes the content of at most `limit` events without a pending webhook delivery: there was none, or all have
  /// succeeded, were given up, or are for webhooks that were deleted. Returns the number of wiped events.
  /// - Parameter longestSeconds: age of an event, in seconds, at which it is wiped even if deliveries are pending.
  package static func events(atMost limit: Int, longestSeconds: Int32) -> Query<Int> {
    Query(eventsStatement, limit, longestSeconds) { $0.affected }
  }
}
