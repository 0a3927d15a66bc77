package import Domain
package import Postgres
internal import Store

/// Changes the master key while servers run. Decision 149.
///
/// `upmc master-key rotate` waits until all running nodes have the new key, calls `begin`, waits until all of them
/// encrypt with it, and repeats `renew` until `countLeft` is 0. The old key can then be removed.
///
/// **Crash**: each secret names its key, and each batch of telephone numbers is one transaction, so a rotation that was
/// killed resumes with the remaining secrets. **A wrong key** decrypts nothing: `renew` throws a problem that names the
/// secret, and leaves it unchanged.
package enum MasterKeyRotation {
  /// Numbers of running nodes: all of them, those that have a key, and those that encrypt with it.
  package struct Nodes: Equatable, Sendable {
    package let all: Int64
    package let know: Int64
    package let seal: Int64
  }

  package static func nodes(_ id: MasterKey.ID, on connection: Connection) throws(PostgresError) -> Nodes {
    let (all, know, seal) = try connection.run(MasterKeys.nodes(knowing: id.bytes))
    return Nodes(all: all, know: know, seal: seal)
  }

  /// Selects the key that the database names as current. If the database names none, stores the ring's encrypting key
  /// as current.
  /// - Returns: false if the ring does not contain the current key; the ring then still encrypts with its former key.
  @discardableResult
  package static func adopt(_ master: MasterKey, on connection: Connection) throws(PostgresError) -> Bool {
    guard let current = try connection.run(MasterKeys.current()) else {
      try connection.run(MasterKeys.makeCurrent(master.sealingID.bytes))
      return true
    }
    return master.seal(with: MasterKey.ID(current))
  }

  /// Returns the ID of the key that encrypts, according to the database; nil if no server or command has stored one yet
  /// (`adopt`).
  package static func current(on connection: Connection) throws(PostgresError) -> MasterKey.ID? {
    try connection.run(MasterKeys.current()).map { MasterKey.ID($0) }
  }

  /// Returns the ID of the key to which a rotation changes: the last one in the ring that has never been current. Nil
  /// if every key of the ring has been current before.
  package static func coming(_ master: MasterKey, on connection: Connection) throws(PostgresError) -> MasterKey.ID? {
    let former = try connection.run(MasterKeys.all()).map { MasterKey.ID($0) }
    return master.ids.last { !former.contains($0) }
  }

  /// Returns whether a rotation is unfinished: the ring has several keys, and some secrets are not encrypted with the
  /// current one. Reads all users.
  package static func isUnderWay(_ master: MasterKey, on connection: Connection) throws(PostgresError) -> Bool {
    guard master.ids.count > 1 else { return false }
    return try countLeft(master, on: connection) > 0
  }

  /// Makes a key of the ring current, and audits that. This process encrypts with the key at once, each node as soon as
  /// it reads the database again. The caller must have ensured that all nodes have the key.
  /// - Throws: `.impossible` if the ring does not contain the key.
  package static func begin(
    _ id: MasterKey.ID, _ master: MasterKey, by caller: Caller, on connection: Connection
  ) throws(Problem) {
    guard master.ids.contains(id) else {
      throw Problem(.impossible, "The key \(id) is not among those that this machine has.")
    }
    let change = AuditTrail.Change("master-key.rotate", id.description, app: nil)
    try connection.commit { () throws(PostgresError) -> Void in
      try connection.run(MasterKeys.makeCurrent(id.bytes))
      try connection.run(Announcements.announce(Catalog.channel))
      try connection.run(AuditTrail.add(change, by: caller))
    }
    _ = master.seal(with: id)
  }

  /// Returns the number of rows with a secret that is not encrypted with the ring's current key. Reads all users.
  package static func countLeft(_ master: MasterKey, on connection: Connection) throws(PostgresError) -> Int64 {
    try connection.run(MasterKeys.countLeft(sealedWithout: master.sealingID.bytes))
  }

  /// Encrypts with the ring's current key all secrets that another key has encrypted. Skips a credential, webhook or
  /// second factor that is changed meanwhile, so the caller repeats this until `countLeft` is 0.
  /// - Parameter progress: called after each batch of telephone numbers, and once at the end, with the count of numbers
  ///   encrypted by this call so far.
  /// - Throws: `Problem` for a secret that no key of the ring decrypts, `PostgresError` from the database. Secrets
  ///   saved before remain encrypted with the current key.
  package static func renew(
    _ master: MasterKey, on connection: Connection, progress: (Int) -> Void = { _ in }
  ) throws {
    try renewFew(master, connection)
    var last: Users.Key?
    var count = 0
    repeat {
      last = try connection.withTransaction { () throws -> Users.Key? in
        let locked = try connection.run(
          MasterKeys.lockPhones(
            sealedWithout: master.sealingID.bytes, after: last, limit: Operations.Limits.renewedPhones))
        let renewed = try locked.map { entry in
          (
            user: entry.user,
            sealed: try master.renew(entry.sealed, for: PhoneNumberSeal.place(entry.user)) ?? entry.sealed
          )
        }
        if !renewed.isEmpty { try connection.run(MasterKeys.savePhones(renewed)) }
        count += renewed.count
        return locked.last?.user
      }
      progress(count)
    } while last != nil
  }

  /// Encrypts again all secrets except telephone numbers: credentials, signing keys, webhooks, second factors and
  /// provider tokens. Deletes provider tokens that are older than an hour instead, because APNs rejects those.
  private static func renewFew(_ master: MasterKey, _ connection: Connection) throws {
    for credential in try connection.run(Secrets.credentials()) {
      let place = Administration.place(ofCredentialFor: credential.app, credential.network)
      guard let sealed = try master.renew(credential.sealed, for: place) else { continue }
      try connection.run(MasterKeys.save(credential, sealed: sealed))
    }
    for key in try connection.run(MasterKeys.signingKeys()) {
      guard let sealed = try master.renew(key.sealed, for: SigningKeys.place(key.purpose, key.generation)) else {
        continue
      }
      try connection.run(MasterKeys.save(purpose: key.purpose, generation: key.generation, sealed: sealed))
    }
    for webhook in try connection.run(MasterKeys.webhooks()) {
      let place = Webhooks.place(of: webhook.webhook)
      let sealed = try master.renew(webhook.sealed, for: place)
      let former = try webhook.former.flatMap { try master.renew($0, for: place) }
      guard sealed != nil || former != nil else { continue }
      try connection.run(
        MasterKeys.save(
          webhook.webhook, from: (webhook.sealed, webhook.former),
          to: (sealed ?? webhook.sealed, former ?? webhook.former)))
    }
    for account in try connection.run(MasterKeys.factors()) {
      let place = SecondFactor.place(account.account)
      let factor = try account.factor.flatMap { try master.renew($0, for: place) }
      let new = try account.new.flatMap { try master.renew($0, for: place) }
      guard factor != nil || new != nil else { continue }
      try connection.run(
        MasterKeys.save(
          factorOf: account.account, from: (account.factor, account.new),
          to: (factor ?? account.factor, new ?? account.new)))
    }
    let id = master.sealingID.bytes
    try connection.run(MasterKeys.dropTokens(sealedWithout: id))
    try connection.withTransaction { () throws -> Void in
      for token in try connection.run(MasterKeys.lockTokens(sealedWithout: id)) {
        let place = ProviderTokens.place(of: token.fingerprint)
        guard let sealed = try master.renew(token.sealed, for: place) else { continue }
        try connection.run(MasterKeys.save(token: token.fingerprint, sealed: sealed))
      }
    }
  }
}

extension Operations.Limits {
  /// Maximum number of telephone numbers that one transaction encrypts again; their users are locked for some ten
  /// milliseconds.
  static let renewedPhones = 500
}
