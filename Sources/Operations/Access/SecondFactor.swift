internal import Crypto
internal import Domain
internal import Postgres
internal import Store
internal import Time

/// Creates and verifies second-factor codes: those of the authenticator app (RFC 6238), and recovery codes.
///
/// An app's code is accepted in its own 30-second step and in the steps before and after it, because clocks differ. All
/// nodes together accept each step only once, and no step older than the last accepted one, so a code that somebody has
/// observed in use cannot be used again. A recovery code works once.
struct SecondFactor {
  let master: MasterKey

  /// Kind of the code that was accepted.
  enum Proof: Equatable {
    case app
    /// A recovery code; `left` is the number of unused codes that remain.
    case recoveryCode(left: Int64)

    var name: String {
      switch self {
      case .app: "app"
      case .recoveryCode: "recovery-code"
      }
    }
  }

  // MARK: Secrets

  func seal(_ secret: [UInt8], of account: Int32) -> [UInt8] {
    master.seal(secret, for: Self.place(account))
  }

  /// Decrypts the secret of an account.
  /// - Throws: `.internalError` if no master key decrypts it, or it belongs to another account.
  func open(_ sealed: [UInt8], of account: Int32) throws(Problem) -> [UInt8] {
    try master.open(sealed, for: Self.place(account))
  }

  /// Returns the associated data with which an account's secret is encrypted, so that it cannot be decrypted as the
  /// secret of another account.
  static func place(_ account: Int32) -> String { "second factor of account \(account)" }

  static func makeSecret() -> [UInt8] {
    Array(MasterKey.makeBytes().prefix(TimeBasedCode.secretBytes))
  }

  // MARK: Codes

  /// Verifies a code of the account and marks it as used. Counts no failure.
  /// - Parameters:
  ///   - code: six digits are a code of the app, anything else is a recovery code. Case, blanks and hyphens are
  ///     ignored.
  ///   - sealed: the account's encrypted secret.
  /// - Returns: the kind of the code; nil if it is wrong, expired or already used, or, for an app's code, older than
  ///   the last one used.
  /// - Throws: for an app's code, `.internalError` if no master key decrypts the secret.
  func use(
    _ code: String, _ sealed: [UInt8], of account: Int32, on connection: Connection, now: Timestamp
  ) throws(Problem) -> Proof? {
    let code = Self.plain(code)
    guard Self.isOfApp(code) else {
      let left = try connection.answer(SecondFactors.takeCode(account, sha256: Self.hash(code, of: account)))
      return left.map { .recoveryCode(left: $0) }
    }
    guard let step = Self.step(of: code, try open(sealed, of: account), now: now) else { return nil }
    return try connection.answer(SecondFactors.use(account, step: step)) ? .app : nil
  }

  /// Returns the 30-second step since 1970 to which an app's code belongs; nil for a wrong code, and for one of a step
  /// that is not accepted now. Does not check whether the code was used before.
  static func step(of code: String, _ secret: [UInt8], now: Timestamp) -> Int64? {
    let given = Array(plain(code).utf8)
    let present = TimeBasedCode.step(at: now.seconds)
    // Compare with all codes, so that timing reveals nothing.
    let matches = (-Operations.Limits.codeSteps...Operations.Limits.codeSteps).filter { offset in
      ConstantTime.isEqual(given, Array(TimeBasedCode.code(of: secret, step: present + offset).utf8))
    }
    return matches.first.map { present + $0 }
  }

  private static func isOfApp(_ code: String) -> Bool {
    code.utf8.count == TimeBasedCode.digits && code.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Returns the code in lower case, without the blanks and hyphens that people type.
  private static func plain(_ code: String) -> String {
    code.lowercased().filter { !$0.isWhitespace && $0 != "-" }
  }

  // MARK: Recovery codes

  /// Returns ten new codes, each of 80 random bits in four groups of four letters and digits.
  static func makeRecoveryCodes() -> [String] {
    (0..<Operations.Limits.recoveryCodes).map { _ in
      let text = Base32.encode(MasterKey.makeBytes().prefix(10)).lowercased()
      return stride(from: 0, to: text.count, by: 4).map { String(text.dropFirst($0).prefix(4)) }.joined(separator: "-")
    }
  }

  static func hash(_ code: String, of account: Int32) -> [UInt8] {
    Authorization.hash("recovery code \(account) \(plain(code))")
  }
}

extension Operations.Limits {
  /// Number of 30-second steps by which the telephone's clock and the server's can differ in each direction.
  static let codeSteps: Int64 = 1
  static let recoveryCodes = 10
  /// Maximum length of a code in bytes; enough for a recovery code with blanks around its hyphens.
  static let codeBytes = 40
}
