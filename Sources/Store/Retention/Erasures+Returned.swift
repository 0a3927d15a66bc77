internal import Postgres

/// Finds deliveries to persons who were erased while the deliveries were in progress and have registered again since.
extension Erasures {
  private static let returnedStatement = Statement(
    "erasures-returned",
    """
    SELECT t.seqno, t.device FROM unnest($1, $2) AS t(seqno, device)
    JOIN devices d ON d.device = t.device
    -- A user bound before the audience was frozen belongs to it, whatever was erased before.
    JOIN messages m ON m.seqno = t.seqno AND m.app = d.app AND d.bound_at > coalesce(m.frozen_at, m.created_at)
    WHERE EXISTS (SELECT FROM erasures e WHERE e.app = d.app AND e.user_key = d.user_key AND t.seqno <= e.upto_seqno)
      OR EXISTS (
        SELECT FROM erasure_rests r WHERE r.seqno = t.seqno AND r.device = t.device AND r.user_key = d.user_key)
    """)

  /// Returns those of the deliveries in progress whose device has an erased person's CUID again, bound after the
  /// message's audience was frozen: nothing sent before is meant for the new registration.
  package static func returned(
    _ deliveries: some Collection<Confirmations.Delivery>
  ) -> Query<Set<Confirmations.Delivery>> {
    Query(returnedStatement, Confirmations.columns(deliveries), read: Confirmations.deliveries)
  }
}
