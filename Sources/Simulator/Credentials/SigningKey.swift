internal import Crypto

/// A provider's signing key as Apple's developer portal stores it: the public half of a `.p8` file with its
/// restrictions.
package struct SigningKey: Sendable {
  package let teamID: String
  package let keyID: String
  /// Environments in which the key is valid. Keys created before 2025 are valid in both.
  package let environments: Set<Environment>
  /// Bundle identifiers that the key may push to, at most 400; nil for all of the team's apps.
  package let topics: Set<String>?
  /// Another key that may use the same connection; only topic-specific keys have one.
  package let relatedKeyID: String?
  /// True if the key was revoked: its signature still verifies, but requests get Forbidden.
  package let isRevoked: Bool
  private let publicKey: P256.PublicKey

  /// The reason why a key cannot be registered.
  package struct Unusable: Error, CustomStringConvertible {
    package let description: String
  }

  /// Creates a signing key.
  /// - Parameter publicKeyPEM: a P-256 public key in PEM (`PUBLIC KEY`).
  /// - Throws: `Unusable` if the PEM is not such a key.
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

  /// Returns whether `signature` is an ES256 signature of `message`: 64 bytes r‖s (RFC 7518, 3.4), or DER, as in
  /// Apple's own example.
  func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    publicKey.isValid(signature, for: message)
  }
}

/// The signing keys that the simulator accepts, by key id.
package struct SigningKeys: Sendable {
  private var byID: [String: SigningKey] = [:]
  /// Number of changes so far. A connection compares it to detect that its cached verification is outdated.
  package private(set) var generation = 0

  package init() {}

  package var all: [SigningKey] { byID.values.sorted { $0.keyID < $1.keyID } }

  package subscript(keyID: String) -> SigningKey? { byID[keyID] }

  /// Adds a key, replacing one with the same id.
  package mutating func register(_ key: SigningKey) {
    byID[key.keyID] = key
    generation += 1
  }
}
