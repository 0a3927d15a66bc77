internal import COpenSSL

/// Authenticated encryption with AES-256 in Galois/Counter Mode (NIST SP 800-38D). Sealed format: a random nonce of 12
/// bytes, the ciphertext and a tag of 16 bytes.
package enum AESGCM {
  private static let (nonceBytes, tagBytes) = (12, 16)

  /// Returns `plaintext` encrypted with a random nonce, in the sealed format.
  /// - Parameters:
  ///   - key: 32 bytes.
  ///   - context: additional authenticated data, which is not part of the result but must be passed unchanged to
  ///     `open`.
  package static func seal(_ plaintext: [UInt8], using key: SymmetricKey, authenticating context: [UInt8]) -> [UInt8] {
    seal(plaintext, using: key, nonce: RandomBytes.secret(nonceBytes), authenticating: context)
  }

  /// Returns `plaintext` encrypted with a given nonce, for published test vectors. Reusing a nonce with the same key
  /// reveals both plaintexts.
  static func seal(
    _ plaintext: [UInt8], using key: SymmetricKey, nonce: [UInt8], authenticating context: [UInt8]
  ) -> [UInt8] {
    precondition(key.bytes.count == 32 && nonce.count == nonceBytes)
    let cipher = Cipher(key: key.bytes, nonce: nonce, isSealing: true)
    guard cipher.authenticate(context), let ciphertext = cipher.update(plaintext), cipher.finish() else {
      Crypto.fail("seal with AES-256-GCM")
    }
    return nonce + ciphertext + cipher.tag(tagBytes)
  }

  /// Decrypts a sealed text. Returns nil if it was sealed with another key or context, or was modified.
  package static func open(
    _ sealed: [UInt8], using key: SymmetricKey, authenticating context: [UInt8]
  ) -> [UInt8]? {
    guard key.bytes.count == 32, sealed.count >= nonceBytes + tagBytes else { return nil }
    let cipher = Cipher(key: key.bytes, nonce: Array(sealed.prefix(nonceBytes)), isSealing: false)
    defer { ErrorQueue.clear() }
    guard cipher.authenticate(context),
      let plaintext = cipher.update(Array(sealed.dropFirst(nonceBytes).dropLast(tagBytes))),
      cipher.expect(tag: Array(sealed.suffix(tagBytes))), cipher.finish()
    else { return nil }
    return plaintext
  }

  /// An OpenSSL cipher for encrypting or decrypting one text.
  @safe
  private struct Cipher: ~Copyable {
    /// The algorithm, fetched once, because fetching is slow.
    private nonisolated(unsafe) static let algorithm = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
    private let context: OpenSSLObject

    /// Begins an encryption or decryption.
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes.
    init(key: [UInt8], nonce: [UInt8], isSealing: Bool) {
      context = unsafe .made(EVP_CIPHER_CTX_new(), free: { unsafe EVP_CIPHER_CTX_free($0) })
      guard unsafe EVP_CipherInit_ex2(context.pointer, Self.algorithm, key, nonce, isSealing ? 1 : 0, nil) == 1 else {
        Crypto.fail("have AES-256-GCM")
      }
    }

    func authenticate(_ bytes: [UInt8]) -> Bool {
      var count: Int32 = 0
      return unsafe bytes.isEmpty || EVP_CipherUpdate(context.pointer, nil, &count, bytes, Int32(bytes.count)) == 1
    }

    /// Encrypts or decrypts `bytes`. Returns the same number of bytes; nil if OpenSSL reports an error.
    func update(_ bytes: [UInt8]) -> [UInt8]? {
      guard !bytes.isEmpty else { return [] }
      var count: Int32 = 0
      var isDone = false
      // Safe: a counter mode writes as many bytes as it reads.
      let result = unsafe [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, filled in
        isDone =
          unsafe EVP_CipherUpdate(context.pointer, buffer.baseAddress, &count, bytes, Int32(bytes.count)) == 1
        filled = isDone ? Int(count) : 0
      }
      return isDone ? result : nil
    }

    func expect(tag: [UInt8]) -> Bool {
      var tag = tag
      let count = Int32(tag.count)
      return unsafe tag.withUnsafeMutableBytes { bytes in
        unsafe EVP_CIPHER_CTX_ctrl(context.pointer, EVP_CTRL_AEAD_SET_TAG, count, bytes.baseAddress) == 1
      }
    }

    /// Finishes the operation. Returns false if the tag does not match when decrypting.
    func finish() -> Bool {
      var (rest, count) = ([UInt8](repeating: 0, count: 16), Int32(0))
      return unsafe EVP_CipherFinal_ex(context.pointer, &rest, &count) == 1
    }

    func tag(_ count: Int) -> [UInt8] {
      // Safe: OpenSSL writes exactly this number of bytes.
      unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
        let result = unsafe EVP_CIPHER_CTX_ctrl(
          context.pointer, EVP_CTRL_AEAD_GET_TAG, Int32(count), buffer.baseAddress)
        guard result == 1 else { Crypto.fail("give the tag of AES-256-GCM") }
        filled = count
      }
    }
  }
}
