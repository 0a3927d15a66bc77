package import Domain
internal import Postgres

/// What a repeated transaction asks, because an earlier attempt may have been committed without an answer.
extension Outcomes {
  private static let doubtsStatement = Statement(
    "outcomes-doubts",
    """
    SELECT seqno, coalesce(unknown, 0)::bigint, coalesce(resent, 0)::bigint FROM message_totals
    WHERE seqno = ANY($1) AND writer = $2
    """)

  /// Returns the numbers of unanswered submissions and of resends that a writer has counted, by message; the other
  /// amounts are 0. Messages of which the writer has counted nothing are omitted.
  package static func doubts(of seqnos: some Collection<Seqno>, writer: Int32) -> Query<[Seqno: Increase]> {
    var column = Int64Column()
    for seqno in seqnos { column.append(seqno) }
    return Query(doubtsStatement, column, writer) {
      $0.dictionary { row in
        let seqno = row.seqno()
        var counted = Increase()
        counted.unknown = row.int64()
        counted.resent = row.int64()
        return (seqno, counted)
      }
    }
  }

  private static let lockStatement = Statement(
    "outcomes-lock",
    """
    SELECT o.seqno FROM unnest($1, $2) AS t(seqno, device)
    JOIN outcomes o ON o.seqno = t.seqno AND o.device = t.device ORDER BY o.seqno, o.device FOR UPDATE OF o
    """)

  /// Locks the rows of deliveries, in key order, so that none that waits is taken up before the transaction ends.
  /// Ignores deliveries without a row.
  package static func lock(_ deliveries: some Collection<Confirmations.Delivery>) -> Query<Void> {
    Query(lockStatement, Confirmations.columns(deliveries)) { _ in }
  }
}
