/// Signs and verifies by RSA with PKCS #1 v1.5 and SHA-256 (RS256, RFC 7518 §3.3).
package enum RSA {
  private static let leastBits = 2048

  package struct PrivateKey: Sendable {
    private let key: AsymmetricKey

    /// Generates a key of 2,048 bits, which takes about 100 ms.
    package init() {
      key = .makeRSA(bits: leastBits)
    }

    /// Parses a private key.
    /// - Parameter pem: `PRIVATE KEY` or `RSA PRIVATE KEY`, of at least 2,048 bits; unencrypted.
    package init(pem: String) throws(UnusableKey) {
      key = try RSA.checked(AsymmetricKey(pem: pem, isPrivate: true))
    }

    /// The key in PEM as PKCS #8.
    package var pem: String { key.privatePEM }
    package var publicKey: PublicKey { PublicKey(key) }

    package func signature(for message: [UInt8]) -> [UInt8] { key.signature(for: message) }
  }

  package struct PublicKey: Sendable {
    private let key: AsymmetricKey

    fileprivate init(_ key: AsymmetricKey) {
      self.key = key
    }

    /// Parses a public key.
    /// - Parameter pem: a `PUBLIC KEY` block, of at least 2,048 bits.
    package init(pem: String) throws(UnusableKey) {
      key = try RSA.checked(AsymmetricKey(pem: pem, isPrivate: false))
    }

    /// Creates a public key from its numbers.
    /// - Parameters:
    ///   - modulus: big-endian, at least 2,048 bits.
    ///   - exponent: big-endian.
    /// - Throws: `UnusableKey` for a shorter modulus, or if OpenSSL rejects the key.
    package init(modulus: [UInt8], exponent: [UInt8]) throws(UnusableKey) {
      let der = PublicKeyParts.rsa(modulus: modulus, exponent: exponent)
      key = try RSA.checked(AsymmetricKey(publicDER: der))
    }

    package var pem: String { key.publicPEM }
    /// The key as SubjectPublicKeyInfo, in DER.
    package var der: [UInt8] { key.publicDER }

    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool { key.isValid(signature, for: message) }
  }

  private static func checked(_ key: AsymmetricKey) throws(UnusableKey) -> AsymmetricKey {
    guard key.isRSA, key.bits >= leastBits else { throw UnusableKey("is no RSA key of \(leastBits) bits or more") }
    return key
  }
}
