internal import Domain
internal import Postgres

/// Taking away what confidential messages said, once nobody needs it any more: nothing is sent of them, no short message may
/// still be asked for, no webhook is still to be told; after a day in any case.
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
      SELECT approval FROM approvals WHERE sealed IS NOT NULL AND (state <> 1 OR $2 AND ends_at < now())
      ORDER BY approval LIMIT $1 FOR UPDATE SKIP LOCKED)
    """)

  private static let eventsStatement = Statement(
    "content-wipe-events",
    """
    UPDATE events SET sealed = NULL WHERE event IN (
      SELECT event FROM events e WHERE sealed IS NOT NULL AND (at < now() - make_interval(secs => $2)
        OR NOT EXISTS (SELECT FROM event_deliveries d WHERE d.event = e.event AND d.state = 0))
      ORDER BY event LIMIT $1 FOR UPDATE SKIP LOCKED)
    """)

  /// Messages that are over. Answers how many.
  /// - Parameters:
  ///   - restSeconds: after their end, at the least.
  ///   - longestSeconds: after their end, whatever is still open.
  package static func messages(atMost limit: Int, restSeconds: Int32, longestSeconds: Int32) -> Query<Int> {
    var parameters = Parameters()
    parameters.append(limit)
    parameters.append(restSeconds)
    parameters.append(longestSeconds)
    return Query(messagesStatement, parameters) { $0.affected }
  }

  /// Sends that were decided.
  /// - Parameter alsoOverdue: also those that nobody decided in time, by the database's clock.
  package static func approvals(atMost limit: Int, alsoOverdue: Bool) -> Query<Int> {
    var parameters = Parameters()
    parameters.append(limit)
    parameters.append(alsoOverdue)
    return Query(approvalsStatement, parameters) { $0.affected }
  }

  /// Events that everybody has been told.
  package static func events(atMost limit: Int, longestSeconds: Int32) -> Query<Int> {
    var parameters = Parameters()
    parameters.append(limit)
    parameters.append(longestSeconds)
    return Query(eventsStatement, parameters) { $0.affected }
  }
}
