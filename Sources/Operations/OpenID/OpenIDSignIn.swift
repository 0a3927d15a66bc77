package import Domain
package import JSON
package import Postgres
internal import Store
package import Time

/// Signing in to the console at the organisation's identity provider: authorization code with PKCE.
///
/// ```
///   browser ── begin ──► address of the provider, and a sealed cookie
///           ── code and state, back on the console's own page ──► finish
///                   cookie and state belong together? ─► code ─► ID token: signature, issuer, client, times, nonce?
///                   ─► role and app by claim ─► account created or updated ─► session
/// ```
/// The provider decides: at the next sign-in, a person who has lost the role there is refused, and signed out
/// everywhere. An account is identified by issuer and subject. A login that another account already has is refused;
/// otherwise a person who can choose a name at the provider could choose an administrator's. Decision 145.
package struct OpenIDSignIn: Sendable {
  private let provider: OpenIDProvider
  private let master: MasterKey
  private let policy: ConsolePolicy

  /// Creates the service.
  /// - Throws: `.notConfigured` without an identity provider or master key.
  package init(_ provider: OpenIDProvider?, _ setting: ConsoleSetting) throws(Problem) {
    guard let provider, let master = setting.master else {
      throw Problem(.notConfigured, "This server knows no identity provider (UPMC_OIDC_ISSUER).")
    }
    self.provider = provider
    self.master = master
    policy = setting.policy
  }

  package struct Beginning: DescribedAnswer {
    package let url: String
    /// Encrypted value for the cookie; never part of a response body.
    package let cookie: String

    package static let object = JSONObject<Beginning>(
      "OpenIDBeginning", [.always("url", .anyText, \.url, "Where the browser goes.")])
  }

  package struct Answer: Sendable {
    package var code = ""
    package var state = ""

    package static let object = JSONObject(
      "OpenIDAnswer", from: Answer(),
      [.required("code", form, \.code), .required("state", form, \.state)])
    private static let form = JSONForm.text(upTo: 4096)
  }

  /// Starts a sign-in: returns the provider's URL and the cookie. Stores nothing.
  /// - Throws: `.identityProviderAway` if the provider's metadata cannot be fetched.
  package func begin(now: Timestamp) throws(Problem) -> Beginning {
    let endpoint = try provider.description(now: now).authorization
    let request = OpenIDRequest()
    return Beginning(url: request.address(endpoint, provider.settings), cookie: request.cookie(master, now: now))
  }

  /// Completes a sign-in with the provider's answer: creates or updates the account, and returns the new session.
  /// Blocks. Refusals are audited, within the limits of `SignInThrottle`.
  /// - Parameters:
  ///   - cookie: the one that `begin` returned; nil, which is refused, if the browser sent none.
  ///   - former: token of the browser's previous session, which ends; nil if there is none.
  ///   - origin: the browser's address.
  /// - Throws: `.badCredential` if the answer fails a check or the account is disabled; `.forbidden` if the provider
  ///   gives the person no role or no app, which also ends the account's sessions, or an app that is unknown here;
  ///   `.conflict` if another account has the login; `.identityProviderAway`.
  package func finish(
    _ answer: Answer, cookie: String?, former: String?, origin: String, requestID: String, on connection: Connection,
    now: Timestamp
  ) throws(Problem) -> ConsoleSession {
    let throttle = SignInThrottle(origin: origin, now: now)
    let log = RefusalLog(throttle: throttle, requestID: requestID)
    let start = SessionStart(former: former, throttle: throttle, requestID: requestID)
    let person: ProvidedPerson
    switch try self.person(answer, cookie, now: now) {
    case .success(let found): person = found
    case .failure(let fault): throw try log.refuse(nil, fault.reason, Self.problem(fault), on: connection)
    }
    return try enter(person, start, log, on: connection)
  }

  private static func problem(_ fault: OpenIDFault) -> Problem {
    Problem(.badCredential, "The identity provider's answer is refused: it \(fault.detail).")
  }

  /// Returns the person whom the provider has authenticated, or the check that failed.
  /// - Throws: `.identityProviderAway` if the provider cannot be used.
  private func person(_ answer: Answer, _ cookie: String?, now: Timestamp) throws(Problem) -> Result<
    ProvidedPerson, OpenIDFault
  > {
    let request = cookie.flatMap { OpenIDRequest(cookie: $0, master, now: now) }
    guard let request, request.matches(state: answer.state) else {
      return .failure(
        OpenIDFault("state", "does not belong to a sign-in that this browser has begun, or came too late"))
    }
    let claims: TokenClaims
    switch try provider.exchange(answer.code, verifier: request.verifier, now: now) {
    case .failure(let fault): return .failure(fault)
    case .success(let token):
      switch try provider.verified(token, nonce: request.nonce, now: now) {
      case .failure(let fault): return .failure(fault)
      case .success(let found): claims = found
      }
    }
    return Result { () throws(OpenIDFault) in try ProvidedPerson(claims, provider.settings) }
  }

  // MARK: The account

  private func enter(
    _ person: ProvidedPerson, _ start: SessionStart, _ log: RefusalLog, on connection: Connection
  ) throws(Problem) -> ConsoleSession {
    let number = try connection.answer(Accounts.find(subject: person.subject))
    let known = try number.map { number throws(Problem) in try connection.answer(Accounts.find(number)) } ?? nil
    if let known, known.disabledAt != nil {
      throw try log.refuse(
        known, "disabled", Problem(.badCredential, "The account is disabled here."), on: connection)
    }
    guard let role = person.role, let reach = person.app else {
      let claim = person.role == nil ? provider.settings.roleClaim : provider.settings.appClaim ?? ""
      if let known { try connection.answer(Sessions.endAll(of: known.number)) }
      throw try log.refuse(
        known, person.role == nil ? "role-claim" : "app-claim",
        Problem(
          .forbidden,
          "The identity provider gives you nothing that opens this console (\(claim)). Ask whoever manages accounts there."
        ), on: connection)
    }
    let app = try self.app(reach, known, log, on: connection)
    if known == nil, try connection.answer(Accounts.find(login: person.login)) != nil {
      throw try log.refuse(
        nil, "login-taken",
        Problem(
          .conflict,
          "The login \(person.login) belongs to an account that does not sign in at the identity provider. An administrator gives that one another login, or disables it and makes a new one."
        ), on: connection)
    }
    let account = try save(person, role, app, known, start, on: connection)
    return try start.begin(account, .openID, factor: nil, policy, on: connection)
  }

  private func app(
    _ reach: ProvidedPerson.Reach, _ known: Accounts.Record?, _ log: RefusalLog, on connection: Connection
  ) throws(Problem) -> Int32? {
    guard case .only(let appID) = reach else { return nil }
    do throws(Problem) {
      return try connection.app(appID).number
    } catch {
      guard error.code == .unknownApp else { throw error }
      throw try log.refuse(
        known, "app-claim", Problem(.forbidden, "The identity provider names an app that is not known here."),
        on: connection)
    }
  }

  /// Creates the account, or updates it with the provider's current name, role and app, and audits that. A new role or
  /// app ends all sessions of the account. If nothing has changed, writes nothing.
  private func save(
    _ person: ProvidedPerson, _ role: Role, _ app: Int32?, _ known: Accounts.Record?, _ start: SessionStart,
    on connection: Connection
  ) throws(Problem) -> Accounts.Record {
    let saved = try connection.commit { () throws(PostgresError) -> Accounts.Record? in
      if let known, known.role == role.rawValue, known.app == app, known.name == person.name { return known }
      let number: Int32
      if let known {
        number = known.number
        try connection.run(Accounts.save(number, name: person.name, role: role.rawValue, app: app))
        if known.role != role.rawValue || known.app != app { try connection.run(Sessions.endAll(of: number)) }
      } else {
        number = try connection.run(
          Accounts.create(
            login: person.login, name: person.name, role: role.rawValue, app: app, subject: person.subject))
      }
      guard let account = try connection.run(Accounts.lock(number)) else { return nil }
      try connection.run(AuditTrail.add(Self.change(known, account), by: start.caller(account)))
      return account
    }
    guard let saved else { throw Problem(.conflict, "The account was removed meanwhile.") }
    return saved
  }

  private static func change(_ known: Accounts.Record?, _ account: Accounts.Record) -> AuditTrail.Change {
    func write(_ account: Accounts.Record) -> (inout JSONWriter) -> Void {
      { writer in
        writer.member("name", account.name)
        writer.member("role", account.role)
        writer.member("appId", account.appID)
      }
    }
    let change = AuditTrail.Change(known == nil ? "account.create" : "account.change", account.login, app: account.app)
    return (known.map { change.from(write($0)) } ?? change).to(write(account))
  }
}
