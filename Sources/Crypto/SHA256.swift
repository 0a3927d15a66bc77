internal import COpenSSL

/// SHA-256 (FIPS 180-4) of complete or incremental input.
@safe
package struct SHA256: ~Copyable {
  package static let byteCount = 32

  /// The algorithm, fetched once, because fetching takes longer than hashing a line of text.
  private nonisolated(unsafe) static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)
  private let context: OpenSSLObject

  package init() {
    context = Self.makeContext()
    Self.expect(unsafe EVP_DigestInit_ex2(context.pointer, Self.algorithm, nil))
  }

  package mutating func update(_ bytes: [UInt8]) {
    Self.expect(unsafe EVP_DigestUpdate(context.pointer, bytes, bytes.count))
  }

  /// Returns the 32-byte digest of all input.
  package consuming func finalize() -> [UInt8] {
    // Safe: OpenSSL writes 32 bytes.
    unsafe [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, filled in
      Self.expect(unsafe EVP_DigestFinal_ex(context.pointer, buffer.baseAddress, nil))
      filled = Self.byteCount
    }
  }

  /// Returns the 32-byte digest of `bytes`.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    // Safe: OpenSSL writes 32 bytes.
    unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, filled in
      expect(unsafe EVP_Digest(bytes, bytes.count, buffer.baseAddress, nil, algorithm, nil))
      filled = byteCount
    }
  }

  private static func makeContext() -> OpenSSLObject {
    unsafe .made(EVP_MD_CTX_new(), free: { unsafe EVP_MD_CTX_free($0) })
  }

  private static func expect(_ result: Int32) {
    guard result != 1 else { return }
    Crypto.fail("compute SHA-256")
  }
}
