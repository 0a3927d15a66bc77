internal import Domain
internal import JSON
internal import Postgres
internal import Store
internal import Time

/// Starts the session of an account whose proof and second factor have been verified.
struct SessionStart {
  static let wrongProof = Problem(
    .badCredential, "Login and password do not belong together, or the link was used or is over.")

  /// The browser's previous session token, whose session ends; nil if the browser has none.
  let former: String?
  let throttle: SignInThrottle
  let requestID: String

  /// Returns the caller to whom the changes of a sign-in are attributed.
  func caller(_ account: Accounts.Record) -> Caller {
    var caller = Caller(
      role: Role(rawValue: account.role) ?? .viewer, app: account.app, apiKey: nil, account: account.number,
      name: account.login)
    caller.origin = throttle.origin
    caller.requestID = requestID
    return caller
  }

  /// Creates the session, ends the previous one, records the client's network as known and audits the sign-in, in one
  /// transaction.
  /// - Parameters:
  ///   - account: as it was when it was proved, or before.
  ///   - factor: kind of the code that was verified as second factor; nil without one.
  /// - Throws: `.badCredential` if what opens the account has changed since.
  func begin(
    _ account: Accounts.Record, _ method: SignInMethod, factor: SecondFactor.Proof?, _ policy: ConsolePolicy,
    on connection: Connection
  ) throws(Problem) -> ConsoleSession {
    let token = RandomToken.make()
    let now = throttle.now
    let endsAt = now + .seconds(Operations.Limits.sessionSeconds)
    let caller = caller(account)
    let isBegun = try connection.commit { () throws(PostgresError) in
      // A new password, a reset second factor and disabling end the account's sessions: none may begin afterwards by
      // what was proved before. They lock the account before its sessions, too.
      guard let present = try connection.run(Accounts.lock(account.number)), present.password == account.password,
        present.factor == account.factor, present.disabledAt == nil
      else { return false }
      if let former { try connection.run(Sessions.end(sha256: Authorization.hash(former))) }
      try connection.run(
        Sessions.create(
          sha256: Authorization.hash(token), account: account.number, now: now,
          idleUntil: now + .seconds(Operations.Limits.sessionIdleSeconds), endsAt: endsAt, origin: throttle.origin,
          method: method.rawValue))
      try throttle.note(account.number, on: connection)
      let change = AuditTrail.Change("session.sign-in", account.login, app: account.app).to { writer in
        writer.member("method", method.rawValue)
        if let factor { writer.member("secondFactor", factor.name) }
        if case .recoveryCode(let left) = factor { writer.member("recoveryCodesLeft", left) }
      }
      try connection.run(AuditTrail.add(change, by: caller))
      return true
    }
    guard isBegun else { throw Self.wrongProof }
    return ConsoleSession(account, token: token, endsAt: endsAt, method, policy)
  }
}
