internal import Domain
internal import Postgres

/// Finds out which claim of a delivery is the present one.
extension Claims {
  private static let newestStatement = Statement(
    "claims-newest",
    """
    SELECT t.seqno, t.device, max(c.claim) FROM unnest($1, $2) AS t(seqno, device)
    JOIN claims c ON c.seqno = t.seqno AND t.device = ANY(c.devices) GROUP BY t.seqno, t.device
    """)

  /// Returns, for each delivery, the newest of the claims that list its device: an older one claimed it before it was
  /// deferred and taken up again. Deliveries that no claim lists are omitted, as are those of blocks.
  package static func newest(
    of deliveries: some Collection<Confirmations.Delivery>
  ) -> Query<[Confirmations.Delivery: ClaimID]> {
    var (seqnos, devices) = (Int64Column(), UUIDColumn())
    for delivery in deliveries {
      seqnos.append(delivery.seqno)
      devices.append(delivery.device)
    }
    return Query(newestStatement, seqnos, devices) {
      $0.dictionary { row in
        (Confirmations.Delivery(seqno: row.seqno(), device: row.device()), row.claim())
      }
    }
  }
}
