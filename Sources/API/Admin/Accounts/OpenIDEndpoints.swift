internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for signing in to the console at the organisation's identity provider.
extension Endpoint {
  static let openID: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/session/methods", id: "showSignInMethods", in: .administration, "Ask how to sign in",
      "For the sign-in page.", by: .open,
      answers: [
        Answer(
          200, "The methods.", SignInMethods.object,
          example: #"{"password":true,"identityProvider":"Example Bank SSO"}"#)
      ], problems: [.forbidden], handler: .whole(AdminCall.showSignInMethods)),
    Endpoint(
      .post, "/v1/admin/session/openid", id: "beginOpenID", in: .administration,
      "Begin to sign in at the identity provider",
      """
      Answers the provider's address, with state, nonce and PKCE challenge, and sets a cookie that is good for ten minutes. \
      The browser goes there and comes back to the console's own page, which sends code and state on.
      """, by: .open, load: .provider,
      answers: [Answer(200, "Go there; the cookie is set.", OpenIDSignIn.Beginning.object, example: beginningExample)],
      problems: [.forbidden, .notConfigured, .identityProviderAway], handler: .whole(AdminCall.beginOpenID)),
    Endpoint(
      .post, "/v1/admin/session/openid/answer", id: "signInByOpenID", in: .administration,
      "Sign in with the identity provider's answer",
      """
      Code and state, as the provider gave them to the browser, together with the cookie of the beginning. The account is \
      made or brought up to date: its role and app are what the provider says now.
      """, by: .open, load: .provider,
      body: Body(
        OpenIDSignIn.Answer.object, examples: [("answer", #"{"code":"SplxlOBe","state":"af0ifjsldkj"}"#)],
        bytes: HTTPLimits.unaskedBodyBytes),
      answers: [Answer(201, "Signed in; the cookie is set.", SignedIn.object, example: signedInExample)],
      problems: [.badCredential, .forbidden, .conflict, .notConfigured, .identityProviderAway],
      handler: .whole(AdminCall.signInByOpenID)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let openIDSchemas: [JSONTree.Member] = [
    SignInMethods.object.named, OpenIDSignIn.Beginning.object.named, OpenIDSignIn.Answer.object.named,
  ]

  private static let beginningExample = """
    {"url":"https://login.example.com/authorize?response_type=code&client_id=upmc&code_challenge_method=S256"}
    """

  private static let signedInExample = """
    {"by":"account","login":"kim@example.com","name":"Kim","role":"operator","appId":null,\
    "endsAt":"2026-11-21T21:30:00.123Z","signedInBy":"openid","needsPassword":false,"hasSecondFactor":false,\
    "needsSecondFactor":false,"csrfToken":"q9x2LxP1"}
    """
}

extension AdminCall {
  private func openID() throws(Problem) -> OpenIDSignIn {
    try OpenIDSignIn(resources.provider, resources.console)
  }

  fileprivate func showSignInMethods() throws(Problem) -> Response {
    .json(.ok, SignInMethods(resources.console.policy, resources.provider))
  }

  fileprivate func beginOpenID() throws(Problem) -> Response {
    let beginning = try openID().begin(now: now)
    var response = Response.json(.ok, beginning)
    response.headers.append(SessionCookie.openID.set(beginning.cookie, isSecure: resources.isSecure))
    return response
  }

  /// Completes a sign-in at the identity provider: sets the session's cookie, and clears the one that `beginOpenID`
  /// set. Requires that cookie, and a JSON Content-Type, which forms on other sites cannot send.
  fileprivate func signInByOpenID() throws(Problem) -> Response {
    let answer = try body(OpenIDSignIn.Answer.object)
    let openID = try openID()
    let cookie = SessionCookie.openID.value(in: request.headers, isSecure: resources.isSecure)
    let session = try signingIn { () throws(Problem) in
      try openID.finish(
        answer, cookie: cookie, former: self.session, origin: caller.origin, requestID: caller.requestID,
        on: connection, now: now)
    }
    var response = signedIn(session)
    response.headers.append(SessionCookie.openID.clear(isSecure: resources.isSecure))
    return response
  }
}
