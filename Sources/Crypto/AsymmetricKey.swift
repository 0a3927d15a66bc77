internal import COpenSSL

/// The reason why bytes or text are not a usable key.
package struct UnusableKey: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// A private key or its public half. Shared between threads, which OpenSSL allows for keys.
@safe
final class AsymmetricKey: @unchecked Sendable {
  private let key: OpenSSLObject

  private init(_ key: consuming OpenSSLObject) {
    self.key = key
  }

  // MARK: Creating and reading

  static func makeP256() -> AsymmetricKey {
    AsymmetricKey(unsafe .made(upmc_generate_p256(), free: { unsafe EVP_PKEY_free($0) }))
  }

  static func makeRSA(bits: Int) -> AsymmetricKey {
    AsymmetricKey(unsafe .made(upmc_generate_rsa(bits), free: { unsafe EVP_PKEY_free($0) }))
  }

  /// Parses a key in PEM.
  /// - Parameter isPrivate: true if the PEM text must contain a private key, false for a public one.
  convenience init(pem: String, isPrivate: Bool) throws(UnusableKey) {
    defer { ErrorQueue.clear() }
    let text = OpenSSLObject.memory(Array(pem.utf8))
    let pointer =
      unsafe isPrivate
      ? PEM_read_bio_PrivateKey(text.pointer, nil, Passphrase.none, nil)
      : PEM_read_bio_PUBKEY(text.pointer, nil, Passphrase.none, nil)
    guard let key = unsafe OpenSSLObject(takingOwnership: pointer, free: { unsafe EVP_PKEY_free($0) }) else {
      throw UnusableKey("is no \(isPrivate ? "private" : "public") key in PEM form")
    }
    self.init(key)
  }

  /// Parses a public key.
  /// - Parameter publicDER: SubjectPublicKeyInfo (RFC 5280).
  convenience init(publicDER: [UInt8]) throws(UnusableKey) {
    defer { ErrorQueue.clear() }
    let bytes = OpenSSLObject.memory(publicDER)
    guard
      let key = unsafe OpenSSLObject(
        takingOwnership: d2i_PUBKEY_bio(bytes.pointer, nil), free: { unsafe EVP_PKEY_free($0) })
    else { throw UnusableKey("is no public key") }
    self.init(key)
  }

  // MARK: Properties

  var isP256: Bool {
    var name = [CChar](repeating: 0, count: 64)
    var count = 0
    // Safe: OpenSSL writes at most the given length, with the terminator.
    guard unsafe EVP_PKEY_get_group_name(key.pointer, &name, name.count, &count) == 1 else {
      ErrorQueue.clear()
      return false
    }
    return String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self) == "prime256v1"
  }

  var isRSA: Bool { unsafe EVP_PKEY_is_a(key.pointer, "RSA") == 1 }
  var bits: Int { Int(unsafe EVP_PKEY_get_bits(key.pointer)) }

  // MARK: Encoding

  var privatePEM: String {
    let text = OpenSSLObject.memory()
    guard unsafe PEM_write_bio_PKCS8PrivateKey(text.pointer, key.pointer, nil, nil, 0, nil, nil) == 1 else {
      Crypto.fail("write a private key")
    }
    return text.memoryText()
  }

  var publicPEM: String {
    let text = OpenSSLObject.memory()
    guard unsafe PEM_write_bio_PUBKEY(text.pointer, key.pointer) == 1 else {
      Crypto.fail("write a public key")
    }
    return text.memoryText()
  }

  /// The public key as SubjectPublicKeyInfo (RFC 5280).
  var publicDER: [UInt8] {
    let bytes = OpenSSLObject.memory()
    guard unsafe i2d_PUBKEY_bio(bytes.pointer, key.pointer) == 1 else {
      Crypto.fail("write a public key")
    }
    return bytes.memoryBytes()
  }

  // MARK: Signing

  /// Returns the signature of the message's SHA-256: PKCS #1 v1.5 for RSA, DER-encoded for P-256.
  func signature(for message: [UInt8]) -> [UInt8] {
    let context = unsafe OpenSSLObject.made(EVP_MD_CTX_new(), free: { unsafe EVP_MD_CTX_free($0) })
    var count = Int(unsafe EVP_PKEY_get_size(key.pointer))
    // Safe: OpenSSL writes at most the given size, which is the maximum for this key's signatures.
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      guard unsafe EVP_DigestSignInit_ex(context.pointer, nil, "SHA256", nil, nil, key.pointer, nil) == 1,
        unsafe EVP_DigestSign(context.pointer, buffer.baseAddress, &count, message, message.count) == 1
      else { Crypto.fail("sign") }
      filled = count
    }
  }

  func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
    defer { ErrorQueue.clear() }
    let context = unsafe OpenSSLObject.made(EVP_MD_CTX_new(), free: { unsafe EVP_MD_CTX_free($0) })
    return unsafe EVP_DigestVerifyInit_ex(context.pointer, nil, "SHA256", nil, nil, key.pointer, nil) == 1
      && EVP_DigestVerify(context.pointer, signature, signature.count, message, message.count) == 1
  }
}
