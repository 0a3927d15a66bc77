internal import Crypto

/// Stored form of console passwords: scrypt (RFC 7914), so each guess costs 32 MiB and about a tenth of a second.
enum PasswordHash {
  /// N = 2^15, r = 8, p = 3: one of the settings that OWASP rates as equally strong. It needs 128 · N · r = 32 MiB.
  static let rounds: UInt64 = 32_768
  private static let (blockSize, parallelism): (UInt64, UInt64) = (8, 3)

  /// - Parameter rounds: N (`ConsolePolicy.passwordRounds`).
  static func make(_ password: String, salt: [UInt8], rounds: UInt64) -> [UInt8] {
    let key = KeyDerivation.scrypt(
      password, salt: salt, rounds: rounds, blockSize: blockSize, parallelism: parallelism)
    // Store only a code derived from the key, not the key itself.
    return HMAC.authenticationCode(for: Array("upmc console password".utf8), using: key)
  }

  /// Returns whether a password matches the stored hash. False without a stored hash; that takes equally long, so that
  /// timing does not reveal which logins exist.
  static func matches(_ password: String, _ stored: [UInt8]?, salt: [UInt8]?, rounds: UInt64) -> Bool {
    let made = make(password, salt: salt ?? [UInt8](repeating: 0, count: 16), rounds: rounds)
    guard let stored else { return false }
    return ConstantTime.isEqual(made, stored)
  }
}
