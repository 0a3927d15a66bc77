internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104) under one key: what depends on the key alone is computed once. For all threads, without a
/// lock: each code begins with copies.
package final class HMAC: Sendable {
  package static let byteCount = SHA256.byteCount
  private static let blockBytes = 64

  private let inner: SHA256_CTX
  private let outer: SHA256_CTX

  package init(key: SymmetricKey) {
    var block = key.bytes.count > Self.blockBytes ? SHA256.hash(key.bytes) : key.bytes
    block += [UInt8](repeating: 0, count: Self.blockBytes - block.count)
    inner = Self.state(behind: block.map { $0 ^ 0x36 })
    outer = Self.state(behind: block.map { $0 ^ 0x5C })
  }

  private static func state(behind bytes: [UInt8]) -> SHA256_CTX {
    var state = SHA256_CTX()
    unsafe upmc_sha256_begin(&state, bytes, bytes.count)
    return state
  }

  /// 32 bytes.
  package func authenticationCode(for message: [UInt8]) -> [UInt8] {
    // Safe: OpenSSL writes 32 bytes, and only reads the states.
    unsafe [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, filled in
      unsafe withUnsafePointer(to: inner) { inner in
        unsafe withUnsafePointer(to: outer) { outer in
          unsafe upmc_hmac_sha256(inner, outer, message, message.count, buffer.baseAddress)
        }
      }
      filled = Self.byteCount
    }
  }

  /// For a key that is used once.
  package static func authenticationCode(for message: [UInt8], using key: SymmetricKey) -> [UInt8] {
    HMAC(key: key).authenticationCode(for: message)
  }
}
