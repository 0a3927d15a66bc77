internal import COpenSSL

/// A secret of any length. Its description reveals only the length.
package struct SymmetricKey: Sendable, CustomStringConvertible {
  let bytes: [UInt8]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Generates a random key of 256 bits.
  package static func random() -> SymmetricKey {
    SymmetricKey(RandomBytes.secret(32))
  }

  package var description: String { "key of \(bytes.count) bytes" }
}

/// Generates cryptographically secure random bytes.
enum RandomBytes {
  static func secret(_ count: Int) -> [UInt8] {
    // Safe: OpenSSL writes the given number of bytes, or fails.
    unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      guard unsafe RAND_priv_bytes(buffer.baseAddress, Int32(count)) == 1 else {
        Crypto.fail("give random bytes")
      }
      filled = count
    }
  }
}
