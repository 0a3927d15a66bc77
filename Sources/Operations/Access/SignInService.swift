internal import Crypto
package import Domain
package import JSON
package import Postgres
internal import Reactor
internal import Store

/// Console sign-in: the browser holds a session token in a cookie, the database holds only its hash.
///
/// ```
///   login and password, or one-time link ──► session ──► used: extended by 2 hours, 12 in all ──► over
///        │                                          │
///        ▼ too many failures (`SignInAttempt`): 429 └── sign-out, password change, account disabled ──► over
/// ```
/// **Session fixation**: each sign-in creates a session with a new random token and ends the browser's previous one.
/// **CSRF**: the cookie is SameSite=Strict, and every change requires the CSRF token, which is derived from the
/// session's token and readable only by the console's pages.
package enum SignInService {
  /// Proof of identity.
  package enum Proof: Sendable {
    case password(login: String, String)
    /// The token of a sign-in link.
    case link(String)
  }

  /// A signed-in session.
  package struct Session: Sendable {
    /// The token for the cookie. It is never part of a response's body.
    package let token: String
    package let login: String
    package let name: String
    package let role: String
    package let appID: String?
    package let endsAt: Int64
    /// True until a password has been chosen.
    package let needsPassword: Bool
  }

  /// Signs in and begins a session.
  /// - Parameters:
  ///   - former: the browser's previous token; its session ends.
  ///   - replaces: whether a link may sign in a different account than the current session's.
  ///   - now: microseconds since 1970.
  package static func signIn(
    _ proof: Proof, former: String?, replaces: Bool = false, origin: String, requestID: String,
    on connection: Connection, now: Int64
  ) throws(Problem) -> Session {
    if let former, !replaces, case .link(let link) = proof {
      try checkReplacement(of: former, by: link, on: connection, now: now)
    }
    let attempt = SignInAttempt(proof: proof, origin: origin, requestID: requestID, now: now)
    let account = try attempt.prove(on: connection)
    let token = RandomToken.make()
    let endsAt = now + Operations.Limits.sessionSeconds * 1_000_000
    try connection.commit { () throws(PostgresError) in
      if let former { try connection.run(Sessions.end(sha256: Authorization.hash(former))) }
      try connection.run(
        Sessions.create(
          sha256: Authorization.hash(token), account: account.number, now: now,
          idleUntil: now + Operations.Limits.sessionIdleSeconds * 1_000_000, endsAt: endsAt, origin: origin,
          byLink: proof.isLink))
      try attempt.note(account.number, on: connection)
      var caller = Caller(
        role: Role(rawValue: account.role) ?? .viewer, app: account.app, apiKey: nil, account: account.number,
        name: account.login)
      caller.origin = origin
      caller.requestID = requestID
      let change = AuditTrail.Change("session.sign-in", account.login, app: account.app)
      try connection.run(AuditTrail.add(change, by: caller))
    }
    return Session(
      token: token, login: account.login, name: account.name, role: account.role, appID: account.appID, endsAt: endsAt,
      needsPassword: account.password == nil)
  }

  /// Throws if a link would replace the session of another account. Otherwise a link sent by somebody else could turn
  /// an open page into another person's.
  private static func checkReplacement(
    of former: String, by link: String, on connection: Connection, now: Int64
  ) throws(Problem) {
    guard
      let present = try connection.answer(
        Sessions.use(sha256: Authorization.hash(former), now: now, idleUntil: now)),
      let login = try connection.answer(Sessions.login(ofLink: Authorization.hash(link))), login != present.login
    else { return }
    throw Problem(
      .conflict,
      "This browser is signed in as \(present.login), and the link is another account's. Ask whose page it is to be; then send \"replace\": true."
    )
  }

  // MARK: Using a session

  /// Returns the caller that the session belongs to.
  /// - Throws: `.badCredential` once the session is over.
  package static func authenticate(
    session token: String, on connection: Connection, now: Int64
  ) throws(Problem) -> Caller {
    let idleUntil = now + Operations.Limits.sessionIdleSeconds * 1_000_000
    guard
      let account = try connection.answer(
        Sessions.use(sha256: Authorization.hash(token), now: now, idleUntil: idleUntil)),
      let role = Role(rawValue: account.role)
    else { throw Problem(.badCredential, "The session is over. Sign in again.") }
    return Caller(role: role, app: account.app, apiKey: nil, account: account.number, name: account.login)
  }

  /// The token that a page must send with every change.
  package static func csrfToken(of token: String) -> String {
    RandomToken.encode(Authorization.hash("csrf \(token)"))
  }

  /// Throws `.forbidden` unless the request contains the session's CSRF token.
  package static func checkCSRF(_ sent: String?, of token: String) throws(Problem) {
    guard let sent, ConstantTime.isEqual(Array(sent.utf8), Array(csrfToken(of: token).utf8)) else {
      throw Problem(.forbidden, "Send the session's csrfToken in the header X-CSRF-Token.")
    }
  }

  /// Returns the session of a request, for the console's pages.
  package static func session(_ token: String, on connection: Connection, now: Int64) throws(Problem) -> Session {
    guard
      let session = try connection.answer(
        Sessions.use(sha256: Authorization.hash(token), now: now, idleUntil: now)),
      let account = try connection.answer(Accounts.find(login: session.login))
    else { throw Problem(.badCredential, "The session is over. Sign in again.") }
    return Session(
      token: token, login: account.login, name: account.name, role: account.role, appID: account.appID,
      endsAt: session.endsAt, needsPassword: account.password == nil)
  }

  package static func signOut(_ token: String, by caller: Caller, on connection: Connection) throws(Problem) {
    try connection.commit { () throws(PostgresError) in
      try connection.run(Sessions.end(sha256: Authorization.hash(token)))
      try connection.run(
        AuditTrail.add(AuditTrail.Change("session.sign-out", caller.name, app: caller.app), by: caller))
    }
  }

  package struct NewPassword: Sendable {
    package var new = ""
    package var current: String?

    package static let object = JSONObject(
      "Password", from: NewPassword(),
      [.required("new", .givenText, \.new, "10 to 256 bytes."), .given("current", .givenText, \.current)])
  }

  /// Sets a new password and ends all of the account's sessions, including this one, so that the user signs in again.
  package static func choosePassword(
    _ password: NewPassword, session token: String?, by caller: Caller, on connection: Connection
  ) throws(Problem) {
    guard caller.account != nil, let token,
      let account = try connection.answer(Accounts.find(login: caller.name))
    else {
      throw Problem(.forbidden, "Only a console account has a password.")
    }
    let isByLink = try connection.answer(Sessions.isByLink(sha256: Authorization.hash(token)))
    if account.password != nil, !isByLink {
      guard let current = password.current, PasswordHash.matches(current, account.password, salt: account.salt) else {
        throw Problem(at: "/current", "is not the present password")
      }
    }
    guard Operations.Limits.passwordBytes.contains(password.new.utf8.count) else {
      throw Problem(
        at: "/new",
        "must have \(Operations.Limits.passwordBytes.lowerBound) to \(Operations.Limits.passwordBytes.upperBound) bytes"
      )
    }
    let salt = Array(MasterKey.makeBytes().prefix(16))
    let hash = PasswordHash.make(password.new, salt: salt)
    try connection.commit { () throws(PostgresError) in
      try connection.run(Accounts.setPassword(account.number, hash, salt: salt))
      try connection.run(Sessions.endAll(of: account.number))
      try connection.run(
        AuditTrail.add(AuditTrail.Change("account.password", account.login, app: account.app), by: caller))
    }
  }
}

extension SignInService.Proof {
  fileprivate var isLink: Bool {
    if case .link = self { true } else { false }
  }
}

extension Operations.Limits {
  /// Maximum duration of a session: a working day.
  package static let sessionSeconds: Int64 = 12 * 3600
  static let sessionIdleSeconds: Int64 = 2 * 3600
  static let passwordBytes = 10...256
}
