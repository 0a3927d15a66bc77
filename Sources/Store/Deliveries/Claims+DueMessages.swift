package import Domain
internal import Postgres
package import Time

/// Finds the messages whose deferred deliveries are due. When claiming those of several messages together fails because
/// of the data of one message, each can then be claimed in a transaction of its own (`GatedDeliveries.takeUp`).
extension Claims {
  private static let dueMessagesStatement = Statement(
    "claims-due-messages",
    """
    SELECT DISTINCT d.seqno FROM (
      (SELECT w.seqno FROM waits w JOIN messages m ON m.seqno = w.seqno JOIN apps a ON a.app = m.app
        WHERE w.due_at > $3 AND \(Claims.isDue) ORDER BY w.due_at LIMIT $2)
      UNION ALL
      (SELECT w.seqno FROM outcomes w JOIN messages m ON m.seqno = w.seqno JOIN apps a ON a.app = m.app
        WHERE w.status = \(OutcomeStatus.deferred.sql) AND w.due_at > $3 AND \(Claims.isDue)
        ORDER BY w.due_at LIMIT $2)) d
    ORDER BY d.seqno
    """)

  /// Returns, in ascending order, the messages whose deferred deliveries `Waits.takeUp` and `due` find among the
  /// `limit` that are due earliest: those being sent in `lanes` that are not late and have no pace.
  package static func dueMessages(at now: Timestamp, lanes: [Lane], atMost limit: Int) -> Query<[Seqno]> {
    Query(each: dueMessagesStatement, now, limit, Timestamp.zero, Int16Column(lanes)) { $0.seqno() }
  }
}
