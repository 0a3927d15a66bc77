internal import Crypto
package import Domain
package import Postgres
internal import Store
internal import Synchronization

/// The server's own signing keys, created at the first start and shared by all nodes.
///
/// The keys can be changed while servers run (Decision 150): a new generation signs only some seconds after it is
/// stored, when every node has read it. Former generations verify and decrypt until they are ended.
package struct SigningKeys: Sendable {
  /// Purpose of a key. Raw values are stored in the database.
  package enum Purpose: String, CaseIterable, Sendable {
    /// Signs the `pushkey`, which proves the delivery that a receipt or read belongs to.
    case pushkey
    /// Signs devices' own credentials, including those of the existing SDK.
    case authkey
    /// Derives the secrets with which apps' own servers prove who their users are (`UserProofKeyring`).
    case userproof
    /// Encrypts the content of confidential messages.
    case content
  }

  package let pushkeys: PushKeyring
  package let authKeys: AuthKeyring
  package let userProofs: UserProofKeyring
  /// The keys for apps built with the existing SDK.
  package let sdkKeys: SDKKeyring
  /// Encrypts the content of confidential messages.
  package let contents: ContentSeal
  /// Encrypts users' telephone numbers.
  package let phones: PhoneNumberSeal
  /// State of the keys from which the keyrings were last updated: purpose, generation, and whether each is active.
  private let known: Known

  private final class Known: Sendable {
    let marks: Mutex<[String]>

    init(_ marks: [String]) { self.marks = Mutex(marks) }
  }

  /// Reads the keys, and first creates one for each purpose that has none, as in a new database.
  /// - Throws: `Problem` if the master key does not decrypt a key, `PostgresError` from the database.
  package static func load(_ connection: Connection, master: MasterKey) throws -> SigningKeys {
    var stored = try connection.run(Secrets.signingKeys())
    for purpose in Purpose.allCases where !stored.contains(where: { $0.purpose == purpose.rawValue }) {
      let sealed = master.seal(MasterKey.makeBytes(), for: place(purpose.rawValue, 1))
      // Another node may be first: the stored key counts.
      try connection.run(Secrets.addSigningKey(purpose: purpose.rawValue, generation: 1, sealed: sealed))
      stored = try connection.run(Secrets.signingKeys())
    }
    let rings = try Dictionary(
      uniqueKeysWithValues: Purpose.allCases.map { ($0, try ring(of: $0, stored, master)) })
    func keys(_ purpose: Purpose) -> [SymmetricKey] { rings[purpose] ?? [] }
    let pushkeys = PushKeyring(
      present: keys(.pushkey)[0], incarnation: try connection.run(Incarnations.present()))
    pushkeys.replace(with: keys(.pushkey)[0], others: Array(keys(.pushkey).dropFirst()))
    let (auth, proofs) = (keys(.authkey), keys(.userproof))
    return SigningKeys(
      pushkeys: pushkeys, authKeys: AuthKeyring(key: auth[0], others: Array(auth.dropFirst())),
      userProofs: UserProofKeyring(key: proofs[0], others: Array(proofs.dropFirst())),
      sdkKeys: SDKKeyring(key: auth[0], others: Array(auth.dropFirst())), contents: ContentSeal(keys(.content)),
      phones: PhoneNumberSeal(master: master), known: Known(marks(stored)))
  }

  /// Reads the keys again, and updates all copies of these keyrings if keys were added, became active or ended.
  /// - Throws: like `load`; also `Problem` if all keys of a purpose have been ended. Keyrings updated before that stay
  ///   updated, and the next call repeats the update.
  package func refresh(_ connection: Connection, master: MasterKey) throws {
    let stored = try connection.run(Secrets.signingKeys())
    let marks = Self.marks(stored)
    guard known.marks.withLock({ $0 }) != marks else { return }
    for purpose in Purpose.allCases {
      let keys = try Self.ring(of: purpose, stored, master)
      let others = Array(keys.dropFirst())
      switch purpose {
      case .pushkey: pushkeys.replace(with: keys[0], others: others)
      case .authkey:
        authKeys.replace(with: keys[0], others: others)
        sdkKeys.replace(with: keys[0], others: others)
      case .userproof: userProofs.replace(with: keys[0], others: others)
      case .content: contents.replace(with: keys[0], others: others)
      }
    }
    known.marks.withLock { $0 = marks }
  }

  private static func marks(_ stored: [Secrets.SigningKey]) -> [String] {
    stored.map { "\($0.purpose) \($0.generation) \($0.isActive)" }
  }

  /// Returns the decrypted keys of a purpose: the one that signs, which is the newest active one or, if none is active
  /// yet, the oldest; then the others, newest first.
  /// - Throws: `.internalError` if there is none, or the master key does not decrypt one.
  private static func ring(
    of purpose: Purpose, _ stored: [Secrets.SigningKey], _ master: MasterKey
  ) throws -> [SymmetricKey] {
    let own = stored.filter { $0.purpose == purpose.rawValue }.sorted { $0.generation > $1.generation }
    let present = own.first { $0.isActive } ?? own.last
    guard let present else {
      throw Problem(.internalError, "There is no signing key of the kind \(purpose.rawValue). Start the server again.")
    }
    return try ([present] + own.filter { $0.generation != present.generation }).map {
      SymmetricKey(try master.open($0.sealed, for: place(purpose.rawValue, $0.generation)))
    }
  }

  /// Returns whether the master key decrypts what the database contains; nil if nothing is encrypted yet. Creates no
  /// keys.
  ///
  /// False if the ring lacks the database's current master key. Otherwise the master key must decrypt all signing keys,
  /// as every server that has used the database has done. Only if there are no signing keys, credentials and webhooks
  /// decide: it is enough to decrypt one of them.
  package static func fit(_ master: MasterKey, _ connection: Connection) throws(PostgresError) -> Bool? {
    if let current = try connection.run(MasterKeys.current()), !master.ids.contains(MasterKey.ID(current)) {
      return false
    }
    let stored = try connection.run(Secrets.signingKeys())
    for key in stored where (try? master.open(key.sealed, for: place(key.purpose, key.generation))) == nil {
      return false
    }
    return stored.isEmpty ? try fitOthers(master, connection) : true
  }

  /// Checks the secrets that commands have encrypted before any server used the database. Returns whether at least one
  /// can be decrypted; nil if there are none.
  private static func fitOthers(_ master: MasterKey, _ connection: Connection) throws(PostgresError) -> Bool? {
    let credentials = try connection.run(Secrets.credentials()).map { credential in
      (credential.sealed, Administration.place(ofCredentialFor: credential.app, credential.network))
    }
    let webhooks = try connection.run(Webhooks.sealed()).map { ($0.sealed, Webhooks.place(of: $0.webhook)) }
    let sealed = credentials + webhooks
    guard !sealed.isEmpty else { return nil }
    return sealed.contains { (try? master.open($0.0, for: $0.1)) != nil }
  }

  static func place(_ purpose: String, _ generation: Int32) -> String { "signing key \(purpose) \(generation)" }
}
