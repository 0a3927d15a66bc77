internal import Crypto

/// Console passwords as they are stored: scrypt (RFC 7914), so that trying one costs 32 MiB and a tenth of a second.
enum PasswordHash {
  /// N = 2^15, r = 8, p = 3: among the settings that OWASP names as equally good, the one with the least memory that two
  /// threads may use at once.
  private static let (rounds, blockSize, parallelism): (UInt64, UInt64, UInt64) = (32_768, 8, 3)

  static func make(_ password: String, salt: [UInt8]) -> [UInt8] {
    let key = KeyDerivation.scrypt(
      password, salt: salt, rounds: rounds, blockSize: blockSize, parallelism: parallelism)
    // The key itself stays where it is; what is stored proves that one has it.
    return HMAC.authenticationCode(for: Array("upmc console password".utf8), using: key)
  }

  /// Takes as long for an account without password, or for none at all, so that the time tells nobody which logins exist.
  static func matches(_ password: String, _ stored: [UInt8]?, salt: [UInt8]?) -> Bool {
    let made = make(password, salt: salt ?? [UInt8](repeating: 0, count: 16))
    guard let stored else { return false }
    return ConstantTime.isEqual(made, stored)
  }
}
