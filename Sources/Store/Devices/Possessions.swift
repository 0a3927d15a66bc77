package import Domain
internal import Postgres
package import Time

/// The pushes by which devices have proved that pushes reach them, noted in the devices' rows: a device whose answer
/// was lost may repeat that call with the key that the call has ended. Decision 026.
package enum Possessions {
  /// How long a device may repeat its proof. An app that was stopped before it had the answer repeats it when it is
  /// next opened. A much longer time would make an old copy of the key and the push useful to a thief.
  private static let timeForRepeats: Duration = .seconds(86_400)

  private static let noteStatement = Statement(
    "possessions-note",
    """
    UPDATE devices d SET proved_at = $3, proved_seqno = t.seqno
    FROM unnest($1, $2) AS t(device, seqno) WHERE d.device = t.device
    """)

  /// Notes the messages whose pushes have made devices their users', each replacing the device's former one. The caller
  /// holds the devices' row locks.
  package static func note(_ proofs: [(device: DeviceID, seqno: Seqno)], at now: Timestamp) -> Query<Void> {
    var (devices, seqnos) = (UUIDColumn(), Int64Column())
    for proof in proofs {
      devices.append(proof.device)
      seqnos.append(proof.seqno)
    }
    return Query(noteStatement, devices, seqnos, now) { _ in }
  }

  private static let repeatableStatement = Statement(
    "possessions-repeatable",
    "SELECT device, proved_seqno FROM devices WHERE device = ANY($1::uuid[]) AND proved_at > $2")

  /// Returns the messages whose pushes have made these devices their users' less than a day ago, without locks. Other
  /// devices are omitted.
  package static func repeatable(
    of devices: some Collection<DeviceID>, at now: Timestamp
  ) -> Query<[DeviceID: Seqno]> {
    var parameters = Devices.ids(devices)
    parameters.append(now - timeForRepeats)
    return Query(repeatableStatement, parameters) {
      $0.dictionary { row in (row.device(), row.seqno()) }
    }
  }
}
