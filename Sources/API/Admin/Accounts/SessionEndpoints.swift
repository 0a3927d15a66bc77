internal import Domain
internal import HTTPServer
internal import JSON
internal import Logging
internal import Operations

/// Endpoints for signing in to and out of the console, and for the caller's own password and sessions.
extension Endpoint {
  static let sessions: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/session", id: "signIn", in: .administration, "Sign in to the console",
      """
      With login and password, or with a link that works once. An account with a second factor needs its code too: without \
      one the answer is 401 `upmc:second-factor-needed`, nothing is used up, and the same request with `code` follows. The session is in a cookie that no script can read. Every \
      endpoint takes it in place of an API key; what changes something needs `X-CSRF-Token` too. A link does not turn an \
      account that is signed in into another: that is 409 until `"replace": true` says that somebody was asked.
      """, by: .open, load: .password,
      body: Body(
        schema: SignInRequest.schema.name,
        examples: [
          ("password", #"{"login":"kim@example.com","password":"correct horse battery"}"#),
          ("secondFactor", #"{"login":"kim@example.com","password":"correct horse battery","code":"287082"}"#),
          ("link", #"{"link":"q9x2LxP1"}"#),
        ], bytes: HTTPLimits.unaskedBodyBytes),
      answers: [Answer(201, "Signed in; the cookie is set.", SignedIn.object, example: sessionExample)],
      problems: [.badCredential, .secondFactorNeeded, .forbidden, .conflict, .notConfigured, .tooManyAttempts],
      handler: .whole(AdminCall.signIn)),
    Endpoint(
      .get, "/v1/admin/session", id: "showSession", in: .administration, "Ask who is signed in",
      "For the console's pages: with the CSRF token. With an API key it says which.", by: .caller,
      answers: [Answer(200, "Who asks.", SignedIn.object, example: sessionExample)],
      handler: .whole(AdminCall.showSession)),
    Endpoint(
      .delete, "/v1/admin/session", id: "signOut", in: .administration, "Sign out",
      "The session is over on every node.",
      by: .caller, answers: [Answer(204, "Signed out.")], problems: [.conflict],
      handler: .whole(AdminCall.signOut)),
    Endpoint(
      .put, "/v1/admin/session/password", id: "choosePassword", in: .administration, "Choose a password",
      """
      Needs the present one, unless the session began with a link within the last 10 minutes. Signs out everywhere. A \
      password has at least 12 characters and is not among the first that are guessed; nothing else is asked of it, and \
      it does not expire.
      """,
      by: .caller, load: .password,
      body: Body(PasswordService.NewPassword.object, examples: [("first", #"{"new":"correct horse battery"}"#)]),
      answers: [Answer(204, "It is chosen. Sign in with it.")], problems: [.tooManyAttempts],
      handler: .whole(AdminCall.choosePassword)),
    Endpoint(
      .get, "/v1/admin/sessions", id: "listSessions", in: .administration, "List where I am signed in",
      "The sessions of the console account that asks, this one too.", by: .caller, parameters: [.limit, .cursor],
      answers: [
        Answer(200, "A page of sessions.", ItemPage<SessionService.Entry>.object, example: Answer.page(placeExample))
      ], problems: [.conflict], handler: .whole(AdminCall.sessions)),
    Endpoint(
      .delete, "/v1/admin/sessions/{sessionId}", id: "endSession", in: .administration, "Sign out elsewhere",
      "Ends one of the account's own sessions, on every node.", by: .caller, answers: [Answer(204, "It is over.")],
      problems: [.notFound, .conflict], handler: .whole(AdminCall.endSession)),
    Endpoint(
      .delete, "/v1/admin/sessions", id: "endOtherSessions", in: .administration, "Sign out everywhere else",
      "Ends all of the account's sessions but the one that asks, and its links that are not used yet.", by: .caller,
      answers: [Answer(204, "They are over.")], problems: [.conflict], handler: .whole(AdminCall.endOtherSessions)),
  ]

  private static let placeExample = """
    {"sessionId":"7","by":"password","origin":"203.0.113.7","createdAt":"2026-11-21T09:30:00.123Z",\
    "usedAt":"2026-11-21T10:12:00.123Z","endsAt":"2026-11-21T12:12:00.123Z","current":true}
    """

  private static let sessionExample = """
    {"by":"account","login":"kim@example.com","name":"Kim","role":"operator","appId":null,\
    "endsAt":"2026-11-21T21:30:00.123Z","signedInBy":"password","needsPassword":false,"hasSecondFactor":true,\
    "needsSecondFactor":false,"csrfToken":"q9x2LxP1"}
    """
}

extension AdminCall {
  /// Signs in with a password or a link, and sets the session's cookie. Requires no credential, but a JSON
  /// Content-Type, which forms on other sites cannot send.
  fileprivate func signIn() throws(Problem) -> Response {
    let wish = try SignInRequest(try jsonBody())
    let session = try signingIn { () throws(Problem) in
      try SignInService.signIn(
        wish.proof, code: wish.code, former: self.session, replaces: wish.replaces, resources.console,
        origin: caller.origin, requestID: caller.requestID, on: connection, now: now)
    }
    return signedIn(session)
  }

  /// Runs a sign-in attempt and returns its session, or rethrows its refusal. Reports success or refusal to
  /// `resources.signedIn`, and logs a refusal. A missing second factor is rethrown, but neither reported nor logged.
  func signingIn(_ attempt: () throws(Problem) -> ConsoleSession) throws(Problem) -> ConsoleSession {
    do throws(Problem) {
      let session = try attempt()
      resources.signedIn(nil)
      return session
    } catch {
      // A missing second factor is neither a success nor a failure.
      guard error.code != .secondFactorNeeded else { throw error }
      resources.signedIn(error.code)
      resources.log.notice(
        "a sign-in was refused",
        metadata: ["origin": "\(caller.origin)", "requestId": "\(caller.requestID)", "code": "\(error.code.rawValue)"])
      throw error
    }
  }

  func signedIn(_ session: ConsoleSession) -> Response {
    var response = Response.json(.created, SignedIn(session))
    response.headers.append(SessionCookie.session.set(session.token, isSecure: resources.isSecure))
    return response
  }

  fileprivate func showSession() throws(Problem) -> Response {
    guard let session else { return .json(.ok, SignedIn(caller)) }
    return .json(
      .ok, SignedIn(try SignInService.session(session, resources.console.policy, on: connection, now: now)))
  }

  fileprivate func signOut() throws(Problem) -> Response {
    guard let session else { throw Problem(.conflict, "An API key is not signed in; revoke it to end it.") }
    try SignInService.signOut(session, by: caller, on: connection)
    resources.known.forget(.session(session))
    var response = Response.done
    response.headers.append(SessionCookie.session.clear(isSecure: resources.isSecure))
    return response
  }

  fileprivate func choosePassword() throws(Problem) -> Response {
    try PasswordService.choose(
      try body(PasswordService.NewPassword.object), session: session, resources.console.policy, by: caller,
      on: connection, now: now)
    var response = Response.done
    response.headers.append(SessionCookie.session.clear(isSecure: resources.isSecure))
    return response
  }

  fileprivate func sessions() throws(Problem) -> Response {
    .json(.ok, try SessionService.list(try page(), session: session, by: caller, on: connection, now: now))
  }

  fileprivate func endSession() throws(Problem) -> Response {
    guard let number = Int64(parameters["sessionId"]) else {
      throw Problem(.notFound, "A session's number is a whole number, as lists show it.")
    }
    try SessionService.end(number, token: session, by: caller, on: connection)
    return .done
  }

  fileprivate func endOtherSessions() throws(Problem) -> Response {
    try SessionService.endOthers(token: session, by: caller, on: connection)
    return .done
  }
}
