internal import Domain

/// Generates secrets for API keys and links: 256 random bits, as text that is safe in headers, URLs and shells.
enum RandomToken {
  /// Returns 43 characters of base64url without padding (RFC 4648, section 5).
  static func make() -> String {
    encode(MasterKey.makeBytes())
  }

  static func encode(_ bytes: [UInt8]) -> String { Base64URL.encode(bytes) }
}
