internal import COpenSSL

/// Computes time-based one-time passwords (RFC 6238): HMAC-SHA-1, six digits, a new code every 30 seconds. These are
/// the settings that every authenticator app supports.
package enum TimeBasedCode {
  /// The length of a new secret in bytes: as long as the digest (RFC 4226 §4).
  package static let secretBytes = 20
  package static let digits = 6
  package static let stepSeconds: Int64 = 30

  /// Returns the number of the 30-second step that contains a time.
  /// - Parameter seconds: the time, in seconds since 1970.
  package static func step(at seconds: Int64) -> Int64 { seconds / stepSeconds }

  /// Returns the code of a step, with leading zeros.
  package static func code(of secret: [UInt8], step: Int64) -> String {
    let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
    let digest = digest(of: counter, key: secret)
    let offset = Int(digest[19] & 0x0F)
    let number = digest[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let text = String(number % 1_000_000)
    return String(repeating: "0", count: digits - text.count) + text
  }

  /// Returns the HMAC-SHA-1 of a message, 20 bytes.
  private static func digest(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    // Safe: OpenSSL writes 20 bytes into the buffer and only reads the other arguments.
    unsafe [UInt8](unsafeUninitializedCapacity: 20) { buffer, filled in
      var count = 0
      let code = unsafe EVP_Q_mac(
        nil, "HMAC", nil, "SHA1", nil, key, key.count, message, message.count, buffer.baseAddress, 20, &count)
      if unsafe code == nil { Crypto.fail("compute an HMAC") }
      filled = count
    }
  }
}
