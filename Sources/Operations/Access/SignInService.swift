internal import Crypto
package import Domain
package import Postgres
internal import Store
package import Time

/// Console sign-in: the browser holds a session token in a cookie; the database holds only the token's hash.
///
/// ```
///   login and password, or one-time link ──► session ──► unused for 2 hours, or 12 hours old ──► over
///        │                                           │
///        ▼ 429: too many failures (`SignInThrottle`) └── sign-out, password change, account disabled … ──► over
/// ```
/// **Session fixation**: each sign-in creates a session with a new random token and ends the browser's previous one.
/// **CSRF**: the cookie is SameSite=Strict, and every change requires the CSRF token, which is derived from the
/// session's token and readable only by the console's pages.
package enum SignInService {
  /// Proof of identity: a password or a sign-in link.
  package enum Proof: Sendable {
    case password(login: String, String)
    /// The token of a sign-in link.
    case link(String)
  }

  /// Verifies the proof and the second factor, starts a session and ends the browser's previous one. Audits the
  /// sign-in, and refusals as `SignInAttempt.prove` does.
  /// - Parameters:
  ///   - code: second-factor code; nil if none was sent.
  ///   - former: the browser's previous session token; nil if it has none. Its session ends only if the sign-in
  ///     succeeds.
  ///   - replaces: whether a link may sign in a different account than that of the browser's present session.
  /// - Throws: `.badCredential` for a wrong proof or code; `.secondFactorNeeded` without a required code;
  ///   `.tooManyAttempts`; `.forbidden` if passwords are not accepted; `.conflict` if the link belongs to another
  ///   account than the browser's present session and `replaces` is false; `.notConfigured` if a code cannot be
  ///   verified without a master key.
  package static func signIn(
    _ proof: Proof, code: String? = nil, former: String?, replaces: Bool = false, _ setting: ConsoleSetting,
    origin: String, requestID: String, on connection: Connection, now: Timestamp
  ) throws(Problem) -> ConsoleSession {
    if let former, !replaces, case .link(let link) = proof {
      try checkReplacement(of: former, by: link, on: connection, now: now)
    }
    let attempt = SignInAttempt(proof, code: code, setting, origin: origin, requestID: requestID, now: now)
    let (account, factor) = try attempt.prove(on: connection)
    let start = SessionStart(former: former, throttle: attempt.throttle, requestID: requestID)
    return try start.begin(account, proof.method, factor: factor, setting.policy, on: connection)
  }

  /// Throws `.conflict` if the browser's session is still valid and the link is a valid one of another account. Without
  /// this check, an attacker's link could switch an open page to the attacker's account.
  private static func checkReplacement(
    of former: String, by link: String, on connection: Connection, now: Timestamp
  ) throws(Problem) {
    guard
      let present = try connection.answer(
        Sessions.use(sha256: Authorization.hash(former), now: now, idleUntil: now)),
      let login = try connection.answer(Sessions.login(ofLink: Authorization.hash(link), now: now)),
      login != present.login
    else { return }
    throw Problem(
      .conflict,
      "This browser is signed in as \(present.login), and the link is another account's. Ask whose page it is to be; then send \"replace\": true."
    )
  }

  /// Audits a request from an address that may not use the console, within the limits of `SignInThrottle`, and returns
  /// the `.forbidden` problem for the client.
  package static func refuseAddress(
    origin: String, requestID: String, on connection: Connection, now: Timestamp
  ) throws(Problem) -> Problem {
    let log = RefusalLog(throttle: SignInThrottle(origin: origin, now: now), requestID: requestID)
    return try log.refuse(
      nil, "address", Problem(.forbidden, "The console is not open to this address (UPMC_CONSOLE_ADDRESSES)."),
      on: connection)
  }

  // MARK: Using a session

  /// The caller of a request that was authenticated by a session or an API key.
  package struct Visit: Sendable {
    package let caller: Caller
    /// True while the role needs a second factor and the account has none: the session may only set one up. False for
    /// sessions of the identity provider, and for API keys.
    package let lacksFactor: Bool
    /// When the session began; nil for an API key.
    private let signedInAt: Timestamp?

    /// Creates the visit of an API key.
    package init(apiKey caller: Caller) {
      self.caller = caller
      lacksFactor = false
      signedInAt = nil
    }

    fileprivate init(session caller: Caller, lacksFactor: Bool, signedInAt: Timestamp) {
      self.caller = caller
      self.lacksFactor = lacksFactor
      self.signedInAt = signedInAt
    }

    /// Throws `.freshSignInNeeded` for a session that began more than `freshSignInSeconds` ago: it may have been left
    /// open, or stolen, and must not open other ways in. Signing in again asks for all that a sign-in takes, with its
    /// limits and its audit entry, and replaces the session.
    package func requireFreshSignIn(now: Timestamp) throws(Problem) {
      let seconds = Operations.Limits.freshSignInSeconds
      guard let signedInAt, signedInAt < now - .seconds(seconds) else { return }
      throw Problem(
        .freshSignInNeeded,
        "This changes access or an app's settings, and you signed in over \(seconds / 60) minutes ago. Sign in again.")
    }
  }

  /// Returns the caller to whom the session belongs. Moves the session's idle timeout to two hours from now, at most
  /// once a minute and never past the session's end.
  /// - Throws: `.badCredential` if the session has ended or expired, the account is disabled, or this version does not
  ///   know its role.
  package static func authenticate(
    session token: String, _ policy: ConsolePolicy, on connection: Connection, now: Timestamp
  ) throws(Problem) -> Visit {
    let idleUntil = now + .seconds(Operations.Limits.sessionIdleSeconds)
    guard
      let account = try connection.answer(
        Sessions.use(sha256: Authorization.hash(token), now: now, idleUntil: idleUntil)),
      let role = Role(rawValue: account.role)
    else { throw Problem(.badCredential, "The session is over. Sign in again.") }
    let caller = Caller(role: role, app: account.app, apiKey: nil, account: account.number, name: account.login)
    return Visit(
      session: caller,
      lacksFactor: policy.needsFactor(
        role, has: account.hasFactor, byProvider: account.method == SignInMethod.openID.rawValue),
      signedInAt: account.startedAt)
  }

  /// Returns the CSRF token of a session, derived from its token. A page must send it with every change.
  package static func csrfToken(of token: String) -> String {
    RandomToken.encode(Authorization.hash("csrf \(token)"))
  }

  /// Throws `.forbidden` unless `sent` is the session's CSRF token.
  /// - Parameter sent: the token in the request; nil if the request contains none, which is refused too.
  package static func checkCSRF(_ sent: String?, of token: String) throws(Problem) {
    guard let sent, ConstantTime.isEqual(Array(sent.utf8), Array(csrfToken(of: token).utf8)) else {
      throw Problem(.forbidden, "Send the session's csrfToken in the header X-CSRF-Token.")
    }
  }

  /// Returns the session of a request, for the console's pages, without extending it.
  /// - Throws: `.badCredential` if the session has ended or expired, the account is disabled, or this version does not
  ///   know how the session was started.
  package static func session(
    _ token: String, _ policy: ConsolePolicy, on connection: Connection, now: Timestamp
  ) throws(Problem) -> ConsoleSession {
    guard
      let session = try connection.answer(
        Sessions.use(sha256: Authorization.hash(token), now: now, idleUntil: now)),
      let account = try connection.answer(Accounts.find(login: session.login)),
      let method = SignInMethod(rawValue: session.method)
    else { throw Problem(.badCredential, "The session is over. Sign in again.") }
    return ConsoleSession(account, token: token, endsAt: session.endsAt, method, policy)
  }

  package static func signOut(_ token: String, by caller: Caller, on connection: Connection) throws(Problem) {
    try connection.commit { () throws(PostgresError) in
      try connection.run(Sessions.end(sha256: Authorization.hash(token)))
      try connection.run(
        AuditTrail.add(AuditTrail.Change("session.sign-out", caller.name, app: caller.app), by: caller))
    }
  }
}

extension SignInService.Proof {
  var method: SignInMethod {
    switch self {
    case .password: .password
    case .link: .link
    }
  }
}

extension Operations.Limits {
  /// Time in seconds for which a sign-in opens changes of accounts, API keys, push credentials, webhooks and
  /// apps' settings: 15 minutes.
  package static let freshSignInSeconds: Int64 = 900
}
