internal import Crypto
package import Domain

/// Encrypts secrets for storage with AES-256-GCM. The 256-bit key is never stored in the database.
///
/// Each secret is bound to the place where it is stored (a name such as `credential 3 apns`), so it cannot be decrypted
/// after being copied to another row.
package struct MasterKey: Sendable {
  private let key: SymmetricKey

  /// Throws unless `bytes` has 32 bytes.
  package init(bytes: [UInt8]) throws(Problem) {
    guard bytes.count == 32 else {
      throw Problem(.invalidField, "The master key must have 32 bytes (44 characters of base64), not \(bytes.count).")
    }
    key = SymmetricKey(bytes)
  }

  /// Returns 32 random bytes from the kernel's generator.
  package static func makeBytes() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  /// Returns nonce, ciphertext and tag, concatenated.
  package func seal(_ secret: [UInt8], for place: String) -> [UInt8] {
    AESGCM.seal(secret, using: key, authenticating: Array(place.utf8))
  }

  /// Decrypts a secret. - Throws: if the key is wrong, or the secret was changed or moved.
  package func open(_ sealed: [UInt8], for place: String) throws(Problem) -> [UInt8] {
    guard let secret = AESGCM.open(sealed, using: key, authenticating: Array(place.utf8)) else {
      throw Problem(
        .internalError,
        "The secret \"\(place)\" does not open with this master key. Start with the key it was sealed with (UPMC_MASTER_KEY)."
      )
    }
    return secret
  }
}
