internal import Domain
internal import JSON
internal import Postgres
internal import Store
internal import Time

/// One sign-in attempt with a password or a link: verifies the proof and the second factor, counts failures
/// (`SignInThrottle`) and writes refusals to the audit log.
///
/// ```
///   password ── right ─┬─ no second factor ───────────────────► account
///   link ───── valid ──┴─ second factor ─┬─ no code: code requested, nothing is used up or counted
///                                        ├─ right code ───────► account
///                                        └─ wrong code: counted like a wrong password
/// ```
/// Links are 256 random bits and are never refused because of other failures, unless the account has a second factor.
/// Decision 143.
struct SignInAttempt {
  let proof: SignInService.Proof
  /// Second-factor code; nil if none was sent.
  let code: String?
  let policy: ConsolePolicy
  /// Key that decrypts second factors; nil if the server has none, so accounts with a second factor cannot sign in.
  let master: MasterKey?
  let log: RefusalLog
  let throttle: SignInThrottle

  init(
    _ proof: SignInService.Proof, code: String?, _ setting: ConsoleSetting, origin: String, requestID: String,
    now: Timestamp
  ) {
    self.proof = proof
    self.code = code
    policy = setting.policy
    master = setting.master
    throttle = SignInThrottle(origin: origin, now: now)
    log = RefusalLog(throttle: throttle, requestID: requestID)
  }

  /// Verifies the proof and the second-factor code, and uses up the link and the code. Resets the login's failures,
  /// unless the proof is the link of an account without a second factor: that is not counted. Starts no session.
  /// - Returns: the account, and the kind of the code; nil for an account without a second factor.
  /// - Throws: the problem for the client. Wrong proofs and codes, disabled accounts and refused passwords are audited,
  ///   up to the limits of `SignInThrottle`. `.tooManyAttempts` is audited only when an address first exceeds its
  ///   limit.
  func prove(on connection: Connection) throws(Problem) -> (Accounts.Record, SecondFactor.Proof?) {
    switch proof {
    case .password(let login, let password):
      return try prove(ConsoleAccounts.normalize(login), password, on: connection)
    case .link(let token): return try prove(link: Authorization.hash(token), on: connection)
    }
  }

  private func prove(
    _ login: String, _ password: String, on connection: Connection
  ) throws(Problem) -> (Accounts.Record, SecondFactor.Proof?) {
    guard policy.takesPasswords else {
      throw try log.refuse(
        nil, "passwords-off",
        Problem(.forbidden, "Accounts sign in at the identity provider here, without a password."),
        on: connection)
    }
    try count(login, on: connection)
    let found = try connection.answer(Accounts.find(login: login))
    let (hash, salt) = (found?.password, found?.salt)
    guard PasswordHash.matches(password, hash, salt: salt, rounds: policy.passwordRounds) else {
      throw try log.refuse(found, "password", SessionStart.wrongProof, on: connection)
    }
    guard let account = found, account.disabledAt == nil else {
      throw try log.refuse(found, "disabled", SessionStart.wrongProof, on: connection)
    }
    let factor = try checkFactor(of: account, on: connection)
    try throttle.forgive(login, on: connection)
    return (account, factor)
  }

  private func prove(
    link: [UInt8], on connection: Connection
  ) throws(Problem) -> (Accounts.Record, SecondFactor.Proof?) {
    // The link is used up only if the code is right as well.
    let login = try connection.answer(Sessions.login(ofLink: link, now: throttle.now))
    guard let login, let account = try connection.answer(Accounts.find(login: login)) else {
      throw try log.refuse(nil, "link", SessionStart.wrongProof, on: connection)
    }
    guard account.factor != nil else { return (try take(link, on: connection), nil) }
    try count(login, on: connection)
    let factor = try checkFactor(of: account, on: connection)
    try throttle.forgive(login, on: connection)
    return (try take(link, on: connection), factor)
  }

  private func take(_ link: [UInt8], on connection: Connection) throws(Problem) -> Accounts.Record {
    guard let login = try connection.answer(Sessions.takeLink(sha256: link, now: throttle.now)),
      let account = try connection.answer(Accounts.find(login: login))
    else { throw try log.refuse(nil, "link", SessionStart.wrongProof, on: connection) }
    return account
  }

  private func count(_ login: String, on connection: Connection) throws(Problem) {
    try throttle.count(login, on: connection) { () throws(Problem) in
      // Audit only the attempt that exceeds the address's limit, because further ones add no information.
      _ = try log.refuse(nil, "too-many", SessionStart.wrongProof, on: connection)
    }
  }

  /// Verifies and uses up the second-factor code. Returns nil for an account without a second factor.
  /// - Throws: `.secondFactorNeeded` if no code was sent, which uncounts the attempt; `.notConfigured` without a master
  ///   key; `.badCredential` for a wrong code, which is audited; `.internalError` if no master key decrypts the secret.
  private func checkFactor(of account: Accounts.Record, on connection: Connection) throws(Problem) -> SecondFactor
    .Proof?
  {
    guard let sealed = account.factor else { return nil }
    guard let code else {
      // The first factor was right, so asking for the second is no failure.
      try throttle.uncount(account.login, on: connection)
      throw Problem(.secondFactorNeeded, "Send the code of the authenticator app, or a recovery code, as \"code\".")
    }
    guard let master else { throw Problem(.notConfigured, "This server has no master key to check codes with.") }
    let proof = try SecondFactor(master: master).use(
      code, sealed, of: account.number, on: connection, now: throttle.now)
    guard let proof else { throw try log.refuse(account, "code", Self.wrongCode, on: connection) }
    return proof
  }

  static let wrongCode = Problem(
    .badCredential, at: "/code", "is wrong, is over, or was used before")
}
