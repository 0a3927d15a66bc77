internal import Crypto
package import Domain
package import Postgres
internal import Store

/// The server's own signing keys, created once and shared by all nodes.
package struct SigningKeys: Sendable {
  package let pushkeys: PushKeyring
  package let authKeys: AuthKeyring
  package let userProofs: UserProofKeyring
  /// The keys for apps built with the existing SDK.
  package let sdkKeys: SDKKeyring
  /// Encrypts the content of confidential messages.
  package let contents: ContentSeal
  /// Encrypts users' telephone numbers.
  package let phones: PhoneNumberSeal

  /// Reads the keys, or creates them in a new database.
  /// - Throws: `Problem` if the master key does not decrypt them, `PostgresError` from the database.
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

  /// Returns whether the master key decrypts what the database contains; nil if nothing is encrypted yet. Creates no
  /// keys.
  ///
  /// If there are signing keys, they alone decide, because every server that has used the database has decrypted them.
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

  /// Checks secrets that commands have encrypted before any server used the database. One that can be decrypted is
  /// enough.
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
      // Another node may have created the key first, so read the stored one.
      stored = try connection.run(Secrets.signingKeys(purpose: purpose))
    }
    return try stored.map { SymmetricKey(try master.open($0.sealed, for: place(purpose, $0.generation))) }
  }

  private static func place(_ purpose: String, _ generation: Int32) -> String { "signing key \(purpose) \(generation)" }
}
