internal import Domain
internal import Postgres

/// Finds deliveries with rows that need no further try.
extension Outcomes {
  private static let endedStatement = Statement(
    "outcomes-ended",
    """
    SELECT o.seqno, o.device FROM unnest($1, $2) AS t(seqno, device)
    JOIN outcomes o ON o.seqno = t.seqno AND o.device = t.device
    -- 6 is deferred: the only outcome that is no end.
    WHERE o.status <> \(OutcomeStatus.deferred.sql)
    """)

  /// Returns those of the deliveries whose row has a final outcome. Deliveries whose outcome is stored only in a block
  /// are not found (`Blocks.ended`).
  package static func ended(
    _ deliveries: some Collection<Confirmations.Delivery>
  ) -> Query<Set<Confirmations.Delivery>> {
    Query(endedStatement, Confirmations.columns(deliveries), read: Confirmations.deliveries)
  }
}
