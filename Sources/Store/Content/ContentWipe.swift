internal import Domain
internal import Postgres

/// Wipes the content of confidential messages when it is no longer needed: nothing remains to be sent, no SMS fallback
/// is undecided, and no webhook delivery is pending. After a day it is wiped in any case. Decision 071.
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
        OR NOT EXISTS (SELECT FROM event_deliveries d WHERE d.event = e.event
          AND d.state = \(Events.State.waiting.sql)))
      ORDER BY event LIMIT $1 FOR UPDATE SKIP LOCKED)
    """)

  /// Wipes completed messages. Returns how many.
  /// - Parameters:
  ///   - restSeconds: minimum time after a message's end.
  ///   - longestSeconds: time after its end when it is wiped even if something is still pending.
  package static func messages(atMost limit: Int, restSeconds: Int32, longestSeconds: Int32) -> Query<Int> {
    Query(messagesStatement, limit, restSeconds, longestSeconds) { $0.affected }
  }

  /// Wipes approvals that were decided. Returns how many.
  /// - Parameter alsoOverdue: true to also wipe those whose deadline has passed, by the database's clock.
  package static func approvals(atMost limit: Int, alsoOverdue: Bool) -> Query<Int> {
    Query(approvalsStatement, limit, alsoOverdue) { $0.affected }
  }

  /// Wipes events that were delivered to all webhooks. Returns how many.
  package static func events(atMost limit: Int, longestSeconds: Int32) -> Query<Int> {
    Query(eventsStatement, limit, longestSeconds) { $0.affected }
  }
}
