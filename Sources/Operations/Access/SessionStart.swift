internal import Domain
internal import JSON
internal import Postgres
internal import Store
internal import Time

/// Starts the session of an account whose proof and second factor have been verified.
struct SessionStart {
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
  /// - Parameter factor: kind of the code that was verified as second factor; nil without one.
  func begin(
    _ account: Accounts.Record, _ method: SignInMethod, factor: SecondFactor.Proof?, _ policy: ConsolePolicy,
    on connection: Connection
  ) throws(Problem) -> ConsoleSession {
    let token = RandomToken.make()
    let now = throttle.now
    let endsAt = now + .seconds(Operations.Limits.sessionSeconds)
    let caller = caller(account)
    try connection.commit { () throws(PostgresError) in
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
    }
    return ConsoleSession(account, token: token, endsAt: endsAt, method, policy)
  }
}
