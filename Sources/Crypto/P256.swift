internal import COpenSSL

/// ECDSA signatures on the curve P-256 with SHA-256, as raw r and s (ES256, RFC 7518 §3.4) or in DER.
package enum P256 {
  package struct PrivateKey: Sendable {
    private let key: AsymmetricKey

    /// Generates a random key pair.
    package init() {
      key = .makeP256()
    }

    /// Parses a private key.
    /// - Parameter pem: `PRIVATE KEY`, as in Apple's .p8 files, or `EC PRIVATE KEY`; unencrypted.
    package init(pem: String) throws(UnusableKey) {
      key = try AsymmetricKey(pem: pem, isPrivate: true)
      guard key.isP256 else { throw UnusableKey("is no key on the curve P-256") }
    }

    /// The key in PEM as PKCS #8.
    package var pem: String { key.privatePEM }
    package var publicKey: PublicKey { PublicKey(key) }

    /// Returns the signature as r and s, 32 bytes each.
    package func signature(for message: [UInt8]) -> [UInt8] {
      ECDSA.raw(der: derSignature(for: message))
    }

    /// Returns the signature in DER, the form that Apple's shell example produces.
    package func derSignature(for message: [UInt8]) -> [UInt8] { key.signature(for: message) }
  }

  package struct PublicKey: Sendable {
    private let key: AsymmetricKey

    fileprivate init(_ key: AsymmetricKey) {
      self.key = key
    }

    /// Parses a public key.
    /// - Parameter pem: a `PUBLIC KEY` block.
    package init(pem: String) throws(UnusableKey) {
      key = try AsymmetricKey(pem: pem, isPrivate: false)
      guard key.isP256 else { throw UnusableKey("is no key on the curve P-256") }
    }

    /// Creates a public key from its coordinates.
    /// - Parameters:
    ///   - x: the x coordinate, 32 bytes, big-endian.
    ///   - y: the y coordinate, 32 bytes, big-endian.
    /// - Throws: `UnusableKey` if the point is not on the curve.
    package init(x: [UInt8], y: [UInt8]) throws(UnusableKey) {
      guard x.count == 32, y.count == 32 else { throw UnusableKey("is no point on the curve P-256") }
      key = try AsymmetricKey(publicDER: PublicKeyParts.p256(x: x, y: y))
    }

    package var pem: String { key.publicPEM }
    /// The key as SubjectPublicKeyInfo, in DER.
    package var der: [UInt8] { key.publicDER }

    /// Returns true if the signature is valid for the message.
    /// - Parameter signature: r and s in 64 bytes, or DER.
    package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
      key.isValid(signature.count == 64 ? ECDSA.der(raw: signature) : signature, for: message)
    }
  }

  /// Converts between the two encodings of a signature.
  private enum ECDSA {
    static func raw(der: [UInt8]) -> [UInt8] {
      // Safe: OpenSSL reads at most the given bytes and writes 32 for each number, which suffices for this curve.
      let read = unsafe der.withUnsafeBufferPointer { bytes in
        var start = bytes.baseAddress
        return unsafe d2i_ECDSA_SIG(nil, &start, bytes.count)
      }
      let parsed = unsafe OpenSSLObject.made(read, free: { unsafe ECDSA_SIG_free($0) })
      return unsafe [UInt8](unsafeUninitializedCapacity: 64) { buffer, filled in
        unsafe BN_bn2binpad(ECDSA_SIG_get0_r(parsed.pointer), buffer.baseAddress, 32)
        unsafe BN_bn2binpad(ECDSA_SIG_get0_s(parsed.pointer), buffer.baseAddress?.advanced(by: 32), 32)
        filled = 64
      }
    }

    static func der(raw: [UInt8]) -> [UInt8] {
      let signature = unsafe OpenSSLObject.made(ECDSA_SIG_new(), free: { unsafe ECDSA_SIG_free($0) })
      // Safe: the signature takes ownership of the numbers.
      unsafe ECDSA_SIG_set0(
        signature.pointer, BN_bin2bn(Array(raw.prefix(32)), 32, nil), BN_bin2bn(Array(raw.suffix(32)), 32, nil))
      var written: UnsafeMutablePointer<UInt8>?
      let count = unsafe i2d_ECDSA_SIG(signature.pointer, &written)
      defer { unsafe upmc_free(written) }
      return unsafe Array(UnsafeBufferPointer(start: written, count: Int(max(0, count))))
    }
  }
}
