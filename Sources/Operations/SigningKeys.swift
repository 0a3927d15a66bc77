internal import Crypto
package import Domain
package import Postgres
internal import Store

/// The server's own signing keys, made once and shared by all nodes.
package struct SigningKeys: Sendable {
  package let pushkeys: PushKeyring
  package let authKeys: AuthKeyring
  package let userProofs: UserProofKeyring
  /// For apps built with the existing SDK.
  package let sdkKeys: SDKKeyring

  /// Reads the keys, making them in a new database.
  /// - Throws: `Problem` when the master key does not fit, `PostgresError` from the database.
  package static func load(_ connection: Connection, master: MasterKey) throws -> SigningKeys {
    let pushkeys = try load("pushkey", connection, master)
    let authKeys = try load("authkey", connection, master)
    let userProofs = try load("userproof", connection, master)
    return SigningKeys(
      pushkeys: PushKeyring(present: pushkeys[0], previous: pushkeys.count > 1 ? pushkeys[1] : nil),
      authKeys: AuthKeyring(key: authKeys[0]), userProofs: UserProofKeyring(key: userProofs[0]),
      sdkKeys: SDKKeyring(key: authKeys[0]))
  }

  /// Whether the keys that are stored open with the master key; nil when there are none yet. Makes none.
  package static func fit(_ master: MasterKey, _ connection: Connection) throws(PostgresError) -> Bool? {
    var known = false
    for purpose in ["pushkey", "authkey", "userproof"] {
      for stored in try connection.run(Secrets.signingKeys(purpose: purpose)) {
        known = true
        if (try? master.open(stored.sealed, for: place(purpose, stored.generation))) == nil { return false }
      }
    }
    return known ? true : nil
  }

  /// The present key of a purpose, then the previous one if there is one.
  private static func load(
    _ purpose: String, _ connection: Connection, _ master: MasterKey
  ) throws -> [SymmetricKey] {
    var stored = try connection.run(Secrets.signingKeys(purpose: purpose))
    if stored.isEmpty {
      let sealed = master.seal(MasterKey.makeBytes(), for: place(purpose, 1))
      try connection.run(Secrets.addSigningKey(purpose: purpose, generation: 1, sealed: sealed))
      // Another node may have been first: what stands in the table counts.
      stored = try connection.run(Secrets.signingKeys(purpose: purpose))
    }
    return try stored.map { SymmetricKey(data: try master.open($0.sealed, for: place(purpose, $0.generation))) }
  }

  private static func place(_ purpose: String, _ generation: Int32) -> String { "signing key \(purpose) \(generation)" }
}
