package import Domain
internal import Postgres

/// Reads back the totals that no outcome stands for.
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
}
