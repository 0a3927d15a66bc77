internal import Crypto
package import Domain
internal import Synchronization

/// The master key, which encrypts secrets for storage with AES-256-GCM. Its 256-bit keys are never stored in the
/// database.
///
/// The keys form a ring, so that the master key can change while servers run (Decision 149): one of them encrypts, and
/// each decrypts what it has encrypted. Each secret is bound to its place (a name such as `credential 3 apns`), so a
/// secret that was moved to another row cannot be decrypted. All copies of a value share the ring.
///
/// ```
/// sealed = id of the key (8 bytes) ‖ nonce ‖ ciphertext ‖ tag
/// ```
package struct MasterKey: Sendable {
  /// ID of a key: 8 bytes derived from the key, which reveal nothing about it.
  package struct ID: Hashable, Sendable, CustomStringConvertible {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The id as 16 hex digits.
    package var description: String { Hex.encode(bytes) }

    package static let count = 8
  }

  private struct Ring: Sendable {
    var keys: [(id: ID, key: SymmetricKey)]
    /// Index of the key that encrypts.
    var sealing = 0
  }

  /// The ring, shared by all copies of a `MasterKey`.
  private final class Shared: Sendable {
    let ring: Mutex<Ring>

    init(_ ring: Ring) { self.ring = Mutex(ring) }
  }

  private let shared: Shared

  /// Creates a ring of one key. Throws `.invalidField` unless `bytes` has 32 bytes.
  package init(bytes: [UInt8]) throws(Problem) {
    try self.init(keys: [bytes])
  }

  /// Creates a ring of keys.
  /// - Parameter keys: at least one; the first one encrypts until `seal(with:)` selects another.
  /// - Throws: `.invalidField` unless each key has 32 bytes.
  package init(keys: [[UInt8]]) throws(Problem) {
    shared = Shared(Ring(keys: try Self.named(keys)))
  }

  private static func named(_ keys: [[UInt8]]) throws(Problem) -> [(id: ID, key: SymmetricKey)] {
    for bytes in keys where bytes.count != 32 {
      throw Problem(.invalidField, "The master key must have 32 bytes (44 characters of base64), not \(bytes.count).")
    }
    return keys.map { bytes in
      let key = SymmetricKey(bytes)
      return (id: ID(KeyDerivation.identifier(of: key, purpose: "upmc master key id", count: ID.count)), key: key)
    }
  }

  /// Returns 32 random bytes from the kernel's generator.
  package static func makeBytes() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  // MARK: Keys

  /// IDs of all keys, in the order of the key file.
  package var ids: [ID] { shared.ring.withLock { $0.keys.map(\.id) } }

  /// ID of the key that encrypts.
  package var sealingID: ID { shared.ring.withLock { $0.keys[$0.sealing].id } }

  /// Replaces the ring after the key file has changed. The key that encrypts stays the same if `keys` contains it;
  /// otherwise the first of `keys` encrypts.
  /// - Parameter keys: at least one.
  /// - Throws: `.invalidField` unless each key has 32 bytes; the ring then stays unchanged.
  package func take(_ keys: [[UInt8]]) throws(Problem) {
    let named = try Self.named(keys)
    shared.ring.withLock { ring in
      let id = ring.keys[ring.sealing].id
      ring = Ring(keys: named, sealing: named.firstIndex { $0.id == id } ?? 0)
    }
  }

  /// Selects the key that encrypts from now on. Returns false, and changes nothing, if the ring does not contain it.
  package func seal(with id: ID) -> Bool {
    shared.ring.withLock { ring in
      guard let index = ring.keys.firstIndex(where: { $0.id == id }) else { return false }
      ring.sealing = index
      return true
    }
  }

  /// Returns the ID of the key that encrypted a secret.
  package static func id(of sealed: [UInt8]) -> ID { ID(Array(sealed.prefix(ID.count))) }

  // MARK: Secrets

  /// Encrypts a secret with the ring's current key.
  /// - Parameter place: name of the place where the secret is stored; decryption requires the same name.
  /// - Returns: the key's id, nonce, ciphertext and tag, concatenated.
  package func seal(_ secret: [UInt8], for place: String) -> [UInt8] {
    let (id, key) = shared.ring.withLock { $0.keys[$0.sealing] }
    return id.bytes + AESGCM.seal(secret, using: key, authenticating: Array(place.utf8))
  }

  /// Decrypts a secret with the key of the ring that encrypted it.
  /// - Throws: `.internalError` if the ring lacks that key, or the secret was changed or moved to another place.
  package func open(_ sealed: [UInt8], for place: String) throws(Problem) -> [UInt8] {
    let id = Self.id(of: sealed)
    let key = shared.ring.withLock { ring in ring.keys.first { $0.id == id }?.key }
    guard let key,
      let secret = AESGCM.open(
        Array(sealed.dropFirst(ID.count)), using: key, authenticating: Array(place.utf8))
    else {
      throw Problem(
        .internalError,
        "The secret \"\(place)\" does not open with this master key. Start with the key it was sealed with (UPMC_MASTER_KEY)."
      )
    }
    return secret
  }

  /// Encrypts a secret again with the current key; returns nil if it already is encrypted with that key.
  /// - Throws: like `open`.
  package func renew(_ sealed: [UInt8], for place: String) throws(Problem) -> [UInt8]? {
    guard Self.id(of: sealed) != sealingID else { return nil }
    return seal(try open(sealed, for: place), for: place)
  }
}
