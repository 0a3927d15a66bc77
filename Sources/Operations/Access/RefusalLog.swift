internal import Domain
internal import JSON
internal import Postgres
internal import Store
internal import Time

/// Writes refused sign-ins, and wrong passwords and codes of somebody who is signed in, to the audit log, within the
/// limits of `SignInThrottle`. The actor is nobody: it was not shown who it was.
struct RefusalLog {
  let throttle: SignInThrottle
  let requestID: String

  /// Audits a failure, unless the limit of entries is reached, and returns the given problem for the client.
  /// - Parameters:
  ///   - account: the account that was found; nil if there is none, or it is not to be named.
  ///   - reason: fixed identifier for the audit log, such as `link`.
  /// - Throws: a problem of the database instead, if auditing fails.
  func refuse(
    _ account: Accounts.Record?, _ reason: String, _ problem: Problem, on connection: Connection
  ) throws(Problem) -> Problem {
    // The login is not logged: a password may have been typed into its field.
    try note(account?.login ?? "unknown login", reason, app: account?.app, on: connection)
    return problem
  }

  /// Writes an audit entry, unless the limit of entries is reached.
  /// - Parameter object: the login, or a fixed text in its place.
  func note(_ object: String, _ reason: String, app: Int32? = nil, on connection: Connection) throws(Problem) {
    guard try throttle.mayTell(on: connection) else { return }
    let change = AuditTrail.Change("session.refuse", object, app: app).to { $0.member("reason", reason) }
    var nobody = Caller.nobody
    nobody.origin = throttle.origin
    nobody.requestID = requestID
    try connection.answer(AuditTrail.add(change, by: nobody))
  }

  /// Checks a secret that somebody who is signed in must show again. A wrong one counts like a failed sign-in
  /// (`SignInThrottle`), and is audited like one.
  /// - Parameters:
  ///   - reason: fixed identifier for the audit log if the secret is wrong.
  ///   - isRight: checks the secret. Called once, or not at all if the account or its origin has failed too often.
  /// - Throws: `wrong` if `isRight` returns false; `.tooManyAttempts`.
  static func check(
    _ account: Accounts.Record, _ reason: String, orElse wrong: Problem, by caller: Caller, on connection: Connection,
    now: Timestamp, isRight: () throws(Problem) -> Bool
  ) throws(Problem) {
    let throttle = SignInThrottle(origin: caller.origin, now: now)
    let log = RefusalLog(throttle: throttle, requestID: caller.requestID)
    try throttle.count(account.login, on: connection) { () throws(Problem) in
      try log.note(account.login, "too-many", app: account.app, on: connection)
    }
    guard try isRight() else { throw try log.refuse(account, reason, wrong, on: connection) }
    try throttle.forgive(account.login, on: connection)
  }
}
