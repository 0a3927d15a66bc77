package import Domain
package import Postgres
internal import Store

/// The numbers of messages, which go on behind those of the other server.
extension InstalledBase {
  /// Whether numbers can go on behind one, before anything is brought in.
  package static func check(start seqno: Int64) throws(Problem) {
    guard (1...Operations.Limits.highestStart).contains(seqno) else {
      throw Problem(.impossible, "A SEQNO to go on behind is from 1 to \(Operations.Limits.highestStart).")
    }
  }

  /// Lets the messages of this server get higher numbers than those of the other one.
  /// - Parameter seqno: the last one of the other server.
  /// - Returns: false when they would have anyway.
  package static func goOn(
    behind seqno: Int64, of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Bool {
    let app = try connection.app(appID, allowing: caller, to: .importPeople)
    try check(start: seqno)
    // Messages must find their partitions, so those are committed first.
    try connection.commit { () throws(PostgresError) in try SeqnoStart.makeRoom(after: seqno, on: connection) }
    return try connection.commit { () throws(PostgresError) in
      guard try connection.run(SeqnoStart.move(behind: seqno)) else { return false }
      let change = AuditTrail.Change("seqno.move", String(seqno), in: app)
      try connection.run(AuditTrail.add(change, by: caller))
      return true
    }
  }
}

extension Operations.Limits {
  /// A thousandth of what there is: no server has sent so many, and there is no way back.
  static let highestStart: Int64 = 1_000_000_000_000_000
}
