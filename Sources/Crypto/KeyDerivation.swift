internal import COpenSSL

/// Derives keys from other secrets.
package enum KeyDerivation {
  /// Returns a key derived by HKDF with SHA-256 (RFC 5869), without salt.
  /// - Parameters:
  ///   - purpose: the RFC's `info`. Keys for different purposes are independent of each other.
  ///   - count: length of the derived key in bytes, up to 8,160.
  package static func hkdf(_ key: SymmetricKey, purpose: String, count: Int = 32) -> SymmetricKey {
    let expanding = HMAC(
      key: SymmetricKey(
        HMAC.authenticationCode(
          for: key.bytes, using: SymmetricKey([UInt8](repeating: 0, count: HMAC.byteCount)))))
    var (bytes, block): ([UInt8], [UInt8]) = ([], [])
    for number in 1...UInt8((count + HMAC.byteCount - 1) / HMAC.byteCount) {
      block = expanding.authenticationCode(for: block + Array(purpose.utf8) + [number])
      bytes += block
    }
    return SymmetricKey(Array(bytes.prefix(count)))
  }

  /// Returns public bytes that identify a key without revealing anything about it.
  package static func identifier(of key: SymmetricKey, purpose: String, count: Int) -> [UInt8] {
    hkdf(key, purpose: purpose, count: count).bytes
  }

  /// Returns a key derived from a password by scrypt (RFC 7914). Uses 128 · `rounds` · `blockSize` bytes of memory.
  /// - Parameters:
  ///   - rounds: the RFC's N, a power of two.
  ///   - blockSize: the RFC's r.
  ///   - parallelism: the RFC's p; computed sequentially.
  ///   - count: length of the derived key in bytes.
  package static func scrypt(
    _ password: String, salt: [UInt8], rounds: UInt64, blockSize: UInt64, parallelism: UInt64, count: Int = 32
  ) -> SymmetricKey {
    let password = Array(password.utf8CString)
    let memory = 2 * 128 * rounds * blockSize + 1_048_576
    // Safe: OpenSSL writes the given number of bytes; the password's terminator is not counted.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let result = unsafe EVP_PBE_scrypt(
        password, password.count - 1, salt, salt.count, rounds, blockSize, parallelism, memory, buffer.baseAddress,
        count)
      guard result == 1 else {
        Crypto.fail("compute scrypt")
      }
      filled = count
    }
    return SymmetricKey(bytes)
  }
}
