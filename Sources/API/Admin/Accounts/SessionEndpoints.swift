internal import Domain
internal import HTTPServer
internal import JSON
internal import Logging
internal import Operations

/// Endpoints for signing in to and out of the console.
extension Endpoint {
  static let sessions: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/session", id: "signIn", in: .administration, "Sign in to the console",
      """
      With login and password, or with a link that works once. The session is in a cookie that no script can read. Every \
      endpoint takes it in place of an API key; what changes something needs `X-CSRF-Token` too. A link does not turn an \
      account that is signed in into another: that is 409 until `"replace": true` says that somebody was asked.
      """, by: .open, load: .password,
      body: Body(
        schema: SignInRequest.schema.name,
        examples: [
          ("password", #"{"login":"kim@example.com","password":"correct horse battery"}"#),
          ("link", #"{"link":"q9x2LxP1"}"#),
        ], bytes: HTTPLimits.unaskedBodyBytes),
      answers: [Answer(201, "Signed in; the cookie is set.", SignedIn.object, example: sessionExample)],
      problems: [.badCredential, .conflict, .tooManyAttempts], handler: .whole(AdminCall.signIn)),
    Endpoint(
      .get, "/v1/admin/session", id: "showSession", in: .administration, "Ask who is signed in",
      "For the console's pages: with the CSRF token. With an API key it says which.", by: .permission(.viewMessages),
      answers: [Answer(200, "Who asks.", SignedIn.object, example: sessionExample)],
      handler: .whole(AdminCall.showSession)),
    Endpoint(
      .delete, "/v1/admin/session", id: "signOut", in: .administration, "Sign out",
      "The session is over on every node.",
      by: .permission(.viewMessages), answers: [Answer(204, "Signed out.")], problems: [.conflict],
      handler: .whole(AdminCall.signOut)),
    Endpoint(
      .put, "/v1/admin/session/password", id: "choosePassword", in: .administration, "Choose a password",
      "Needs the present one, unless the account has none or the session began with a link. Signs out everywhere.",
      by: .permission(.viewMessages), load: .password,
      body: Body(SignInService.NewPassword.object, examples: [("first", #"{"new":"correct horse battery"}"#)]),
      answers: [Answer(204, "It is chosen. Sign in with it.")], handler: .whole(AdminCall.choosePassword)),
  ]

  private static let sessionExample = """
    {"by":"account","login":"kim@example.com","name":"Kim","role":"operator","appId":null,\
    "endsAt":"2026-11-21T21:30:00.123Z","needsPassword":false,"csrfToken":"q9x2LxP1"}
    """
}

extension AdminCall {
  /// Signs in. Requires no credential, but a JSON Content-Type, which forms on other sites cannot send.
  fileprivate func signIn() throws(Problem) -> Response {
    let wish = try SignInRequest(try jsonBody())
    let session: SignInService.Session
    do throws(Problem) {
      session = try SignInService.signIn(
        wish.proof, former: self.session, replaces: wish.replaces, origin: caller.origin, requestID: caller.requestID,
        on: connection, now: now)
      resources.signedIn(nil)
    } catch {
      resources.signedIn(error.code)
      resources.log.notice(
        "a sign-in was refused",
        metadata: ["origin": "\(caller.origin)", "requestId": "\(caller.requestID)", "code": "\(error.code.rawValue)"])
      throw error
    }
    var response = Response.json(.created, SignedIn(session))
    response.headers.append(SessionCookie.set(session.token, isSecure: resources.isSecure))
    return response
  }

  fileprivate func showSession() throws(Problem) -> Response {
    guard let session else { return .json(.ok, SignedIn(caller)) }
    return .json(
      .ok, SignedIn(try SignInService.session(session, on: connection, now: now)))
  }

  fileprivate func signOut() throws(Problem) -> Response {
    guard let session else { throw Problem(.conflict, "An API key is not signed in; revoke it to end it.") }
    try SignInService.signOut(session, by: caller, on: connection)
    resources.known.forget(.session(session))
    var response = Response.done
    response.headers.append(SessionCookie.clear(isSecure: resources.isSecure))
    return response
  }

  fileprivate func choosePassword() throws(Problem) -> Response {
    try SignInService.choosePassword(
      try body(SignInService.NewPassword.object), session: session, by: caller, on: connection)
    var response = Response.done
    response.headers.append(SessionCookie.clear(isSecure: resources.isSecure))
    return response
  }
}
