internal import Crypto
internal import CryptoExtras

/// Console passwords as they are stored: scrypt (RFC 7914), so that trying one costs 32 MiB and a tenth of a second.
enum PasswordHash {
  /// N = 2^15, r = 8, p = 3: among the settings that OWASP names as equally good, the one with the least memory that two
  /// threads may use at once.
  private static let (rounds, blockSize, parallelism) = (32_768, 8, 3)

  static func make(_ password: String, salt: [UInt8]) -> [UInt8] {
    do {
      let key = try KDF.Scrypt.deriveKey(
        from: Array(password.utf8), salt: salt, outputByteCount: 32, rounds: rounds, blockSize: blockSize,
        parallelism: parallelism)
      // The key itself stays where it is; what is stored proves that one has it.
      return Array(HMAC<SHA256>.authenticationCode(for: Array("upmc console password".utf8), using: key))
    } catch {
      preconditionFailure("scrypt refused its own settings: \(error)")
    }
  }

  /// Takes as long for an account without password, or for none at all, so that the time tells nobody which logins exist.
  static func matches(_ password: String, _ stored: [UInt8]?, salt: [UInt8]?) -> Bool {
    let made = make(password, salt: salt ?? [UInt8](repeating: 0, count: 16))
    guard let stored else { return false }
    return isEqual(made, stored)
  }

  /// In constant time.
  static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
