package import Domain
package import JSON
package import Postgres
internal import Crypto
internal import Store
package import Time

/// Sets up, replaces and removes a second factor: an authenticator app, with recovery codes.
///
/// ```
/// begin ──► secret, shown once (QR code) ──► confirm with its first code ──► factor active, 10 recovery codes
///                                            and the password (`OwnerProof`)
/// drop, new recovery codes: with a code          reset: by another administrator; sessions end
/// ```
/// An account that already has a factor must send one of its codes before anything about the active factor changes.
/// Wrong codes of the active factor count like wrong passwords (`SignInThrottle`), and are audited like them; those of
/// a new secret are neither.
///
/// All functions throw `.conflict` for callers without an account, such as API keys, and for accounts that sign in at
/// the identity provider.
package struct SecondFactorService: Sendable {
  private let factor: SecondFactor
  private let policy: ConsolePolicy

  /// Creates the service.
  /// - Throws: `.notConfigured` without a master key.
  package init(_ setting: ConsoleSetting) throws(Problem) {
    guard let master = setting.master else {
      throw Problem(.notConfigured, "This server has no master key to seal second factors with.")
    }
    factor = SecondFactor(master: master)
    policy = setting.policy
  }

  /// The new secret, as its owner types it or scans it into an authenticator app.
  package struct Enrolment: DescribedAnswer {
    package let secret: String
    package let uri: String

    package static let object = JSONObject<Enrolment>(
      "SecondFactorSecret",
      [
        .always("secret", .anyText, \.secret, "Base32, to type in."),
        .always("uri", .anyText, \.uri, "`otpauth://…`, to show as a QR code."),
      ])
  }

  package struct RecoveryCodes: DescribedAnswer {
    package let codes: [String]

    package static let object = JSONObject<RecoveryCodes>(
      "RecoveryCodes",
      [.always("recoveryCodes", .list(of: .anyText), \.codes, "Each works once. They are shown only here.")])
  }

  package struct Status: DescribedAnswer {
    let isOn: Bool
    let isNeeded: Bool
    let codesLeft: Int64

    package static let object = JSONObject<Status>(
      "SecondFactor",
      [
        .always("on", .flag, \.isOn), .always("needed", .flag, \.isNeeded, "The role needs one."),
        .always("recoveryCodesLeft", .number(0...Int64(Operations.Limits.recoveryCodes)), \.codesLeft),
      ])
  }

  package struct Code: Sendable {
    package var code = ""
    /// Code of the active factor, required by `confirm` if there is one; nil if none was sent.
    package var present: String?
    /// The account's password, which `confirm` requires if there is no active factor; nil if none was sent.
    package var password: String?

    package static let object = JSONObject(
      "SecondFactorCode", from: Code(), [.required("code", form, \.code, "Of the app, or a recovery code.")])
    package static let confirming = JSONObject(
      "SecondFactorConfirmation", from: Code(),
      [
        .required("code", form, \.code, "Of the app, by the new secret."),
        .given("present", form, \.present, "A code of the factor in force, where there is one."),
        .given("password", .givenText, \.password, "The current one, where no factor is in force."),
      ])
    private static let form = JSONForm.text(upTo: Operations.Limits.codeBytes)
  }

  package func status(by caller: Caller, on connection: Connection) throws(Problem) -> Status {
    let account = try own(caller, on: connection)
    return Status(
      isOn: account.factor != nil, isNeeded: policy.secondFactor.contains(caller.role),
      codesLeft: try connection.answer(SecondFactors.countCodes(account.number)))
  }

  /// Creates a new secret, which replaces one not yet confirmed. An active factor stays active until a code of the new
  /// secret is confirmed.
  package func begin(by caller: Caller, on connection: Connection) throws(Problem) -> Enrolment {
    let account = try own(caller, on: connection)
    let secret = SecondFactor.makeSecret()
    let sealed = factor.seal(secret, of: account.number)
    try connection.answer(SecondFactors.begin(account.number, sealed: sealed))
    let text = Base32.encode(secret)
    return Enrolment(secret: text, uri: Self.uri(text, account.login))
  }

  /// Issuer name that authenticator apps show beside the account.
  private static let issuer = Product.name.uppercased()

  /// Returns `otpauth://totp/UPMC:login?secret=…&issuer=UPMC`, the URI that authenticator apps read.
  private static func uri(_ secret: String, _ login: String) -> String {
    let label = issuer + ":" + FormText.encode(login)
    return "otpauth://totp/\(label)?secret=\(secret)&issuer=\(issuer)"
      + "&algorithm=SHA1&digits=\(TimeBasedCode.digits)&period=\(TimeBasedCode.stepSeconds)"
  }

  /// Activates the new secret, replaces the recovery codes, ends the account's other sessions and deletes its unused
  /// sign-in links.
  /// - Parameter code: a code of the new secret, and in `present` one of the active factor, or in `password` the
  ///   password if there is no active factor.
  /// - Returns: the new recovery codes.
  /// - Throws: `.conflict` if no new secret is pending or another has replaced it meanwhile; `.invalidField` at `/code`
  ///   for a wrong code, at `/present` for a missing, wrong or used one, or at `/password` for a missing or wrong
  ///   password; `.forbidden` with a link that was opened too long ago; `.tooManyAttempts`.
  package func confirm(
    _ code: Code, session token: String?, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> RecoveryCodes {
    let account = try own(caller, on: connection)
    guard let token, let sealed = try connection.answer(SecondFactors.pending(account.number)) else {
      throw Problem(.conflict, "Ask for a new secret first.")
    }
    if account.factor != nil {
      try check(code.present, at: "/present", account, caller, on: connection, now)
    } else {
      try OwnerProof.check(
        code.password, at: "/password", of: account, session: token, policy, by: caller, on: connection, now: now)
    }
    let secret = try factor.open(sealed, of: account.number)
    guard let step = SecondFactor.step(of: code.code, secret, now: now) else { throw Self.wrong(at: "/code") }
    let codes = SecondFactor.makeRecoveryCodes()
    let isDone = try connection.commit { () throws(PostgresError) in
      guard try connection.run(SecondFactors.activate(account.number, sealed: sealed, step: step)) else { return false }
      try store(codes, of: account.number, on: connection)
      _ = try connection.run(SessionLists.endOthers(of: account.number, than: Authorization.hash(token)))
      try audit("account.second-factor", account, caller, on: connection)
      return true
    }
    guard isDone else { throw Problem(.conflict, "Another secret was made meanwhile. Begin again.") }
    return RecoveryCodes(codes: codes)
  }

  /// Creates new recovery codes, which invalidates the former ones.
  /// - Throws: `.conflict` without a second factor, `.invalidField` at `/code` for a wrong, expired or used code,
  ///   `.tooManyAttempts`.
  package func renewCodes(
    _ code: Code, by caller: Caller, on connection: Connection, now: Timestamp
  ) throws(Problem) -> RecoveryCodes {
    let account = try own(caller, on: connection)
    try check(code.code, at: "/code", account, caller, on: connection, now)
    let codes = SecondFactor.makeRecoveryCodes()
    try connection.commit { () throws(PostgresError) in
      try store(codes, of: account.number, on: connection)
      try audit("account.recovery-codes", account, caller, on: connection)
    }
    return RecoveryCodes(codes: codes)
  }

  /// Removes the second factor, the recovery codes, and a new secret not yet confirmed. Sessions continue.
  /// - Throws: `.conflict` if the role needs a second factor or the account has none, `.invalidField` at `/code` for a
  ///   wrong, expired or used code, `.tooManyAttempts`.
  package func drop(_ code: Code, by caller: Caller, on connection: Connection, now: Timestamp) throws(Problem) {
    let account = try own(caller, on: connection)
    guard !policy.secondFactor.contains(caller.role) else {
      throw Problem(.conflict, "The role \(caller.role.rawValue) needs a second factor here. Replace it instead.")
    }
    try check(code.code, at: "/code", account, caller, on: connection, now)
    try connection.commit { () throws(PostgresError) in
      try connection.run(SecondFactors.remove(account.number))
      try audit("account.second-factor-off", account, caller, on: connection)
    }
  }

  // MARK: Internals

  private func own(_ caller: Caller, on connection: Connection) throws(Problem) -> Accounts.Record {
    guard let number = caller.account, let account = try connection.answer(Accounts.find(number)) else {
      throw Problem(.conflict, "Only a console account has a second factor.")
    }
    guard !account.isByProvider else {
      throw Problem(.conflict, "This account's second factor is the identity provider's matter.")
    }
    return account
  }

  private func check(
    _ code: String?, at pointer: String, _ account: Accounts.Record, _ caller: Caller, on connection: Connection,
    _ now: Timestamp
  ) throws(Problem) {
    guard let sealed = account.factor else { throw Problem(.conflict, "The account has no second factor.") }
    guard let code else { throw Problem(at: pointer, "is needed") }
    try RefusalLog.check(
      account, "current-code", orElse: Self.wrong(at: pointer), by: caller, on: connection, now: now
    ) { () throws(Problem) in
      try factor.use(code, sealed, of: account.number, on: connection, now: now) != nil
    }
  }

  private static func wrong(at pointer: String) -> Problem {
    Problem(at: pointer, "is wrong, is over, or was used before")
  }

  private func store(_ codes: [String], of account: Int32, on connection: Connection) throws(PostgresError) {
    let hashes = codes.map { SecondFactor.hash($0, of: account) }
    try connection.run(SecondFactors.replaceCodes(account, sha256: hashes))
  }

  private func audit(
    _ action: String, _ account: Accounts.Record, _ caller: Caller, on connection: Connection
  ) throws(PostgresError) {
    try connection.run(AuditTrail.add(AuditTrail.Change(action, account.login, app: account.app), by: caller))
  }
}
