internal import Domain

/// Generates secrets for API keys, sessions and links, and apps' client keys: 256 random bits, as text that is safe in
/// headers, URLs and shells.
enum RandomToken {
  /// Returns a new secret of 43 characters: base64url without padding (RFC 4648, section 5).
  static func make() -> String {
    encode(MasterKey.makeBytes())
  }

  static func encode(_ bytes: [UInt8]) -> String { Base64URL.encode(bytes) }
}
