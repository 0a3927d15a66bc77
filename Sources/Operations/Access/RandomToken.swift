/// Generates secrets for API keys and links: 256 random bits, as text that is safe in headers, URLs and shells.
enum RandomToken {
  /// Returns 43 characters of base64url without padding (RFC 4648, section 5).
  static func make() -> String {
    encode(MasterKey.makeBytes())
  }

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var bits = 0
    var count = 0
    for byte in bytes {
      bits = bits << 8 | Int(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[bits >> count & 63])
      }
      bits &= (1 << count) - 1
    }
    if count > 0 { text.append(alphabet[bits << (6 - count) & 63]) }
    return String(decoding: text, as: UTF8.self)
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
