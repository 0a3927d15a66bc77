package import Domain
package import JSON
package import Postgres
package import Store
internal import Time

/// Changes signing keys while servers run. Decision 150.
package enum SigningKeyRotation {
  /// A generation of a signing key, as lists show it, without the secret.
  package struct Entry: JSONAnswer {
    package let record: Secrets.SigningKeyRecord

    /// State of the generation: `coming` until it becomes active, `signs` if it is the newest active one of its
    /// purpose, `verifies` if a newer one has replaced it, `ended` after `end`.
    package let state: String

    package func write(to writer: inout JSONWriter) {
      writer.member("purpose", record.purpose)
      writer.member("generation", Int64(record.generation))
      writer.member("state", state)
      writer.member("createdAt", record.createdAt.description)
      writer.member("activeAt", record.activeAt.description)
      writer.member("endedAt", record.endedAt.map(\.description))
    }
  }

  package static func list(on connection: Connection) throws(Problem) -> [Entry] {
    let records = try connection.answer(Secrets.allSigningKeys())
    return records.map { record in
      let newest = records.filter { $0.purpose == record.purpose && $0.endedAt == nil && $0.isActive }
        .map(\.generation).max()
      let state =
        record.endedAt != nil
        ? "ended" : !record.isActive ? "coming" : record.generation == newest ? "signs" : "verifies"
      return Entry(record: record, state: state)
    }
  }

  /// Creates a new generation, audits that, and returns its number. The generation signs after `signingKeyRest`, when
  /// every node has read it; the first generation of a purpose signs at once.
  package static func rotate(
    _ purpose: SigningKeys.Purpose, master: MasterKey, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Int32 {
    let change = AuditTrail.Change("signing-key.rotate", purpose.rawValue, app: nil)
    return try connection.commit { () throws(PostgresError) -> Int32 in
      let generation = try connection.run(Secrets.nextSigningKey(purpose: purpose.rawValue))
      let sealed = master.seal(MasterKey.makeBytes(), for: SigningKeys.place(purpose.rawValue, generation))
      try connection.run(
        Secrets.addSigningKey(
          purpose: purpose.rawValue, generation: generation, sealed: sealed,
          // The first generation replaces none, so it signs at once.
          seconds: generation == 1 ? 0 : Operations.Limits.signingKeyRest))
      try connection.run(Announcements.announce(Catalog.channel))
      try connection.run(AuditTrail.add(change, by: caller))
      return generation
    }
  }

  /// Ends a generation whose state is `verifies`, and audits that. Nodes then no longer accept its signatures, and
  /// content encrypted with it can no longer be decrypted.
  /// - Throws: `.notFound` for an unknown generation; `.conflict` for one that signs, is not active yet, or has already
  ///   ended.
  package static func end(
    _ purpose: SigningKeys.Purpose, _ generation: Int32, by caller: Caller, on connection: Connection
  ) throws(Problem) {
    let entries = try list(on: connection).filter { $0.record.purpose == purpose.rawValue }
    guard let entry = entries.first(where: { $0.record.generation == generation }) else {
      throw Problem(.notFound, "There is no \(purpose.rawValue) key of generation \(generation).")
    }
    guard entry.state == "verifies" else {
      throw Problem(
        .conflict,
        """
        Generation \(generation) \(entry.state == "ended" ? "has ended" : "is the one that signs, or will"): only one that a \
        newer has replaced can be ended.
        """)
    }
    let change = AuditTrail.Change("signing-key.end", "\(purpose.rawValue) \(generation)", app: nil)
    try connection.commit { () throws(PostgresError) in
      try connection.run(Secrets.endSigningKey(purpose: purpose.rawValue, generation: generation))
      try connection.run(Announcements.announce(Catalog.channel))
      try connection.run(AuditTrail.add(change, by: caller))
    }
  }
}

extension Operations.Limits {
  /// Seconds between storing a new signing key and signing with it. Nodes read the keys about every second; a node that
  /// has not read them for this long has lost the database, so it can record nothing either.
  package static let signingKeyRest: Int32 = 15
}
