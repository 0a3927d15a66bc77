internal import Crypto
package import Domain
package import Postgres
internal import Store

/// The server's own signing keys, created once and shared by all nodes.
package struct SigningKeys: Sendable {
  package let pushkeys: PushKeyring
  package let authKeys: AuthKeyring
  package let userProofs: UserProofKeyring
  /// For apps built with the existing SDK.
  package let sdkKeys: SDKKeyring
  /// Seals the content of confidential messages.
  package let contents: ContentSeal
  /// Seals the telephone numbers of users.
  package let phones: PhoneNumberSeal

  /// Reads the keys; creates them in a new database.
  /// - Throws: `Problem` if the master key does not fit, `PostgresError` from the database.
  package static func load(_ connection: Connection, master: MasterKey) throws -> SigningKeys {
    let pushkeys = try load("pushkey", connection, master)
    let authKeys = try load("authkey", connection, master)
    let userProofs = try load("userproof", connection, master)
    return SigningKeys(
      pushkeys: PushKeyring(
        present: pushkeys[0], previous: pushkeys.count > 1 ? pushkeys[1] : nil,
        incarnation: try connection.run(Incarnations.present())),
      authKeys: AuthKeyring(key: authKeys[0]), userProofs: UserProofKeyring(key: userProofs[0]),
      sdkKeys: SDKKeyring(key: authKeys[0]), contents: ContentSeal(try load("content", connection, master)),
      phones: PhoneNumberSeal(master: master))
  }

  /// Whether the master key opens what is sealed in the database; nil if nothing is sealed yet. Creates no keys.
  ///
  /// Signing keys decide where they exist, since every server that has run on the database has opened them.
  package static func fit(_ master: MasterKey, _ connection: Connection) throws(PostgresError) -> Bool? {
    var known = false
    for purpose in ["pushkey", "authkey", "userproof", "content"] {
      for stored in try connection.run(Secrets.signingKeys(purpose: purpose)) {
        known = true
        if (try? master.open(stored.sealed, for: place(purpose, stored.generation))) == nil { return false }
      }
    }
    return known ? true : try fitOthers(master, connection)
  }

  /// Checks secrets sealed by commands before any server ran on the database; one that opens is enough.
  private static func fitOthers(_ master: MasterKey, _ connection: Connection) throws(PostgresError) -> Bool? {
    let credentials = try connection.run(Secrets.credentials()).map { credential in
      (credential.sealed, Administration.place(ofCredentialFor: credential.app, credential.network))
    }
    let webhooks = try connection.run(Webhooks.sealed()).map { ($0.sealed, Webhooks.place(of: $0.webhook)) }
    let sealed = credentials + webhooks
    guard !sealed.isEmpty else { return nil }
    return sealed.contains { (try? master.open($0.0, for: $0.1)) != nil }
  }

  /// Returns the current key for a purpose, followed by the previous one if it exists.
  private static func load(
    _ purpose: String, _ connection: Connection, _ master: MasterKey
  ) throws -> [SymmetricKey] {
    var stored = try connection.run(Secrets.signingKeys(purpose: purpose))
    if stored.isEmpty {
      let sealed = master.seal(MasterKey.makeBytes(), for: place(purpose, 1))
      try connection.run(Secrets.addSigningKey(purpose: purpose, generation: 1, sealed: sealed))
      // Another node may have been first: the stored key counts.
      stored = try connection.run(Secrets.signingKeys(purpose: purpose))
    }
    return try stored.map { SymmetricKey(try master.open($0.sealed, for: place(purpose, $0.generation))) }
  }

  private static func place(_ purpose: String, _ generation: Int32) -> String { "signing key \(purpose) \(generation)" }
}
