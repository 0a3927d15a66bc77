package import Domain
package import Postgres
internal import Store

/// Continuing the message numbers of the other server.
extension InstalledBase {
  /// Checks, before anything is imported, that numbers can continue after `seqno`.
  /// - Throws: `.impossible` unless `seqno` is from 1 to `highestStart`.
  package static func check(start seqno: Seqno) throws(Problem) {
    guard (1...Operations.Limits.highestStart).contains(seqno.number) else {
      throw Problem(.impossible, "The last SEQNO of the other server is from 1 to \(Operations.Limits.highestStart).")
    }
  }

  /// Makes this server's next message numbers follow those of the other server, and audits that. This cannot be undone.
  /// - Parameter seqno: the other server's last number.
  /// - Returns: false, with the numbers unchanged, if this server has already reached `seqno`.
  /// - Throws: as `check(start:)`; `.unknownApp`; `.forbidden` if the caller may not import people into the app.
  package static func continueSeqnos(
    after seqno: Seqno, of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Bool {
    let app = try connection.app(appID, allowing: caller, to: .importPeople)
    try check(start: seqno)
    // Messages need their partitions, so commit these first.
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
  /// The highest permitted number: a thousandth of the range of 18 digits. No server has sent this many, so a higher
  /// number is a mistake, and the change could not be undone.
  static let highestStart: Int64 = 1_000_000_000_000_000
}
