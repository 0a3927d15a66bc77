package import Domain
internal import Postgres

/// Deliveries that need no further try.
extension Outcomes {
  private static let endedStatement = Statement(
    "outcomes-ended",
    // 6 is deferred: the only outcome that is no end.
    "SELECT device FROM outcomes WHERE seqno = $1 AND device = ANY($2) AND status <> 6")

  /// Which of these devices have a final outcome of the message.
  package static func ended(_ seqno: Int64, _ devices: some Collection<DeviceID>) -> Query<Set<DeviceID>> {
    var column = UUIDColumn()
    for device in devices { column.append(device) }
    var parameters = Parameters()
    parameters.append(seqno)
    parameters.append(uuids: column)
    return Query(endedStatement, parameters) { rows in
      var ended: Set<DeviceID> = []
      for row in 0..<rows.count { ended.insert(rows.device(row, 0)) }
      return ended
    }
  }
}
