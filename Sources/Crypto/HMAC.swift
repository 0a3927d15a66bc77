internal import COpenSSL

/// The HMAC with SHA-256 (RFC 2104) under one key. Thread-safe, without a lock.
///
/// The hash state after the key is computed once, and each code starts from copies of it. OpenSSL's providers would
/// allocate memory for each copy, so plain SHA-256 is used, unless OpenSSL is configured for validated modules only
/// (FIPS): then its providers compute every code. Decision 115.
package final class HMAC: Sendable {
  package static let byteCount = SHA256.byteCount
  private static let blockBytes = 64

  private let key: SymmetricKey
  private let beginnings: (inner: SHA256_CTX, outer: SHA256_CTX)?

  package convenience init(key: SymmetricKey) {
    self.init(key: key, validated: EVP_default_properties_is_fips_enabled(nil) == 1)
  }

  /// Creates the function for a key.
  /// - Parameter validated: true to use only OpenSSL's providers.
  init(key: SymmetricKey, validated: Bool) {
    self.key = key
    guard !validated else {
      beginnings = nil
      return
    }
    var block = key.bytes.count > Self.blockBytes ? SHA256.hash(key.bytes) : key.bytes
    block += [UInt8](repeating: 0, count: Self.blockBytes - block.count)
    beginnings = (Self.state(behind: block.map { $0 ^ 0x36 }), Self.state(behind: block.map { $0 ^ 0x5C }))
  }

  private static func state(behind bytes: [UInt8]) -> SHA256_CTX {
    var state = SHA256_CTX()
    unsafe upmc_sha256_begin(&state, bytes, bytes.count)
    return state
  }

  /// Returns the 32-byte authentication code.
  package func authenticationCode(for message: [UInt8]) -> [UInt8] {
    // Safe: OpenSSL writes 32 bytes into the buffer and only reads the other arguments.
    unsafe [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, filled in
      filled = Self.byteCount
      guard let beginnings else {
        var count = 0
        let code = unsafe EVP_Q_mac(
          nil, "HMAC", nil, "SHA256", nil, key.bytes, key.bytes.count, message, message.count, buffer.baseAddress,
          Self.byteCount, &count)
        if unsafe code == nil { Crypto.fail("compute an HMAC") }
        return
      }
      unsafe withUnsafePointer(to: beginnings.inner) { inner in
        unsafe withUnsafePointer(to: beginnings.outer) { outer in
          unsafe upmc_hmac_sha256(inner, outer, message, message.count, buffer.baseAddress)
        }
      }
    }
  }

  /// An authentication code as four big-endian numbers, which needs no allocation.
  package struct Words: Sendable {
    package var first: UInt64 = 0
    package var second: UInt64 = 0
    package var third: UInt64 = 0
    package var fourth: UInt64 = 0

    fileprivate init() {}
  }

  /// Returns the authentication code of two texts with a zero byte between them.
  package func words(of first: Span<UInt8>, and second: Span<UInt8>) -> Words {
    var words = Words()
    if let beginnings {
      // Safe: OpenSSL writes 32 bytes, the size of `Words`, and only reads the other arguments.
      unsafe withUnsafePointer(to: beginnings.inner) { inner in
        unsafe withUnsafePointer(to: beginnings.outer) { outer in
          unsafe first.withUnsafeBytes { first in
            unsafe second.withUnsafeBytes { second in
              unsafe withUnsafeMutableBytes(of: &words) { room in
                unsafe upmc_hmac_sha256_of_two(
                  inner, outer, first.baseAddress, first.count, second.baseAddress, second.count,
                  room.baseAddress!.assumingMemoryBound(to: UInt64.self))
              }
            }
          }
        }
      }
    } else {
      var message: [UInt8] = []
      for index in first.indices { message.append(first[index]) }
      message.append(0)
      for index in second.indices { message.append(second[index]) }
      let code = authenticationCode(for: message)
      unsafe withUnsafeMutableBytes(of: &words) { room in unsafe room.copyBytes(from: code) }
    }
    words.first = UInt64(bigEndian: words.first)
    words.second = UInt64(bigEndian: words.second)
    words.third = UInt64(bigEndian: words.third)
    words.fourth = UInt64(bigEndian: words.fourth)
    return words
  }

  /// Returns the authentication code of a message under a key. To compute many codes with the same key, create an
  /// `HMAC` instead.
  package static func authenticationCode(for message: [UInt8], using key: SymmetricKey) -> [UInt8] {
    HMAC(key: key).authenticationCode(for: message)
  }
}
