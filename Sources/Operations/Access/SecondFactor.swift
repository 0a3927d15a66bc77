internal import Crypto
internal import Domain
internal import Postgres
internal import Store

/// Checks codes of the second factor: those of the authenticator app (RFC 6238), and recovery codes.
///
/// A code of the app is accepted in its own 30 seconds and in those before and after, for clocks that differ; each step is
/// used once, across all nodes, so a code that somebody has watched is worthless. A recovery code works once.
struct SecondFactor {
  let master: MasterKey

  /// What a code was.
  enum Proof: Equatable {
    case app
    /// With the number of codes that are left.
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

  /// - Throws: when the master key does not fit.
  func open(_ sealed: [UInt8], of account: Int32) throws(Problem) -> [UInt8] {
    try master.open(sealed, for: Self.place(account))
  }

  /// The context that an account's secret is sealed for.
  static func place(_ account: Int32) -> String { "second factor of account \(account)" }

  static func makeSecret() -> [UInt8] {
    Array(MasterKey.makeBytes().prefix(TimeBasedCode.secretBytes))
  }

  // MARK: Codes

  /// Uses up a code of the account. Returns what it was; nil when it is wrong, over, or was used before.
  /// - Parameters:
  ///   - sealed: the account's secret.
  ///   - now: microseconds since 1970.
  func use(
    _ code: String, _ sealed: [UInt8], of account: Int32, on connection: Connection, now: Int64
  ) throws(Problem) -> Proof? {
    let code = Self.plain(code)
    guard Self.isOfApp(code) else {
      let left = try connection.answer(SecondFactors.takeCode(account, sha256: Self.hash(code, of: account)))
      return left.map { .recoveryCode(left: $0) }
    }
    guard let step = Self.step(of: code, try open(sealed, of: account), now: now) else { return nil }
    return try connection.answer(SecondFactors.use(account, step: step)) ? .app : nil
  }

  /// The step that a code belongs to; nil for a wrong one.
  static func step(of code: String, _ secret: [UInt8], now: Int64) -> Int64? {
    let given = Array(plain(code).utf8)
    let present = TimeBasedCode.step(at: now / 1_000_000)
    // All are compared, so time tells nothing.
    let matches = (-Operations.Limits.codeSteps...Operations.Limits.codeSteps).filter { offset in
      ConstantTime.isEqual(given, Array(TimeBasedCode.code(of: secret, step: present + offset).utf8))
    }
    return matches.first.map { present + $0 }
  }

  private static func isOfApp(_ code: String) -> Bool {
    code.utf8.count == TimeBasedCode.digits && code.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Without the blanks and hyphens that people type.
  private static func plain(_ code: String) -> String {
    code.lowercased().filter { !$0.isWhitespace && $0 != "-" }
  }

  // MARK: Recovery codes

  /// Ten new codes, each of 80 random bits in four groups of four letters and digits.
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
  /// Steps of 30 seconds by which the clocks of telephone and server may differ, each way.
  static let codeSteps: Int64 = 1
  static let recoveryCodes = 10
  /// The longest code: a recovery code with blanks around its hyphens.
  static let codeBytes = 40
}
