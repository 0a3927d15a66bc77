internal import Domain
internal import Postgres

/// Finds out which claim of a delivery is the present one.
extension Claims {
  private static let newestStatement = Statement(
    "claims-newest",
    """
    -- Each claim is read once: to search every claim for each of twenty thousand deliveries would take many seconds.
    SELECT c.seqno, k.device, c.claim FROM claims c CROSS JOIN LATERAL unnest(c.devices) AS k(device)
    WHERE c.seqno = ANY($1)
    """)

  /// Returns, for each delivery, the newest of the claims that list its device: an older one claimed it before it was
  /// deferred and taken up again. Deliveries that no claim lists are omitted, as are those of blocks.
  package static func newest(of deliveries: Set<Confirmations.Delivery>) -> Query<[Confirmations.Delivery: ClaimID]> {
    var seqnos = Int64Column()
    for seqno in Set(deliveries.map(\.seqno)) { seqnos.append(seqno) }
    return Query(newestStatement, seqnos) { rows in
      var newest: [Confirmations.Delivery: ClaimID] = [:]
      rows.forEach { row in
        let delivery = Confirmations.Delivery(seqno: row.seqno(), device: row.device())
        let claim = row.claim()
        guard deliveries.contains(delivery) else { return }
        newest[delivery] = max(newest[delivery] ?? claim, claim)
      }
      return newest
    }
  }
}
