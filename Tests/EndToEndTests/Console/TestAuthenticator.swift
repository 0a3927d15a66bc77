import Crypto
import Testing

/// An authenticator app.
enum TestAuthenticator {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")

  /// The code of a secret, in base32, at a time.
  static func code(_ secret: String, seconds: Int64) throws -> String {
    var (bytes, bits, count) = ([UInt8](), 0, 0)
    for letter in secret {
      bits = bits << 5 | (try #require(alphabet.firstIndex(of: letter)))
      count += 5
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    return TimeBasedCode.code(of: bytes, step: TimeBasedCode.step(at: seconds))
  }
}
