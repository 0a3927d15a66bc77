internal import Crypto

/// What Apple's developer portal knows of a provider's signing key (the public half of a `.p8`).
package struct SigningKey: Sendable {
  package let teamID: String
  package let keyID: String
  /// Where it is valid. Keys made before 2025 are valid in both.
  package let environments: Set<Environment>
  /// The bundle identifiers it may push to; nil for all of the team. A topic-specific key has at most 400.
  package let topics: Set<String>?
  /// Another key that may share a connection with this one (topic-specific keys have at most one).
  package let relatedKeyID: String?
  /// A revoked key is still known by its signature, and answered with Forbidden.
  package let isRevoked: Bool
  private let publicKey: P256.PublicKey

  /// Why a key cannot be registered.
  package struct Unusable: Error, CustomStringConvertible {
    package let description: String
  }

  /// - Parameter publicKeyPEM: a P-256 public key, `-----BEGIN PUBLIC KEY-----`.
  package init(
    teamID: String, keyID: String, publicKeyPEM: String, environments: Set<Environment> = Set(Environment.allCases),
    topics: Set<String>? = nil, relatedKeyID: String? = nil, isRevoked: Bool = false
  ) throws(Unusable) {
    guard let publicKey = try? P256.PublicKey(pem: publicKeyPEM) else {
      throw Unusable(description: "the public key of \(keyID) is not a P-256 key in PEM form")
    }
    self.teamID = teamID
    self.keyID = keyID
    self.publicKey = publicKey
    self.environments = environments
    self.topics = topics
    self.relatedKeyID = relatedKeyID
    self.isRevoked = isRevoked
  }

  /// Checks an ES256 signature over `message`: 64 bytes r‖s (RFC 7518, 3.4), or DER, which Apple's own recipe sends.
  func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    publicKey.isValid(signature, for: message)
  }
}

/// The keys that the simulator trusts, by key identifier.
package struct SigningKeys: Sendable {
  private var byID: [String: SigningKey] = [:]
  /// Grows with every change, so that connections know when what they remember is stale.
  package private(set) var generation = 0

  package init() {}

  package var all: [SigningKey] { byID.values.sorted { $0.keyID < $1.keyID } }

  package subscript(keyID: String) -> SigningKey? { byID[keyID] }

  /// Adds a key, or replaces the one of the same identifier.
  package mutating func register(_ key: SigningKey) {
    byID[key.keyID] = key
    generation += 1
  }
}
