internal import Domain
internal import HTTPServer
internal import Operations

/// Signing in to the console, and the accounts of people who do.
extension Endpoint {
  static let accounts: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/session", id: "signIn", in: .administration, "Sign in to the console",
      """
      With login and password, or with a link that works once. The session is in a cookie that no script can read. Every \
      endpoint takes it in place of an API key; what changes something needs `X-CSRF-Token` too. A link does not turn an \
      account that is signed in into another: that is 409 until `"replace": true` says that somebody was asked.
      """, by: .open, load: .password,
      body: Body(
        schema: "SignIn",
        examples: [
          ("password", #"{"login":"kim@example.com","password":"correct horse battery"}"#),
          ("link", #"{"link":"q9x2LxP1"}"#),
        ], bytes: HTTPLimits.unaskedBodyBytes),
      answers: [Answer(201, "Signed in; the cookie is set.", "Session", example: sessionExample)],
      problems: [.badCredential, .conflict, .tooManyAttempts], handler: .whole(AdminCall.signIn)),
    Endpoint(
      .get, "/v1/admin/session", id: "showSession", in: .administration, "Ask who is signed in",
      "For the console's pages: with the CSRF token. With an API key it says which.", by: .permission(.viewMessages),
      answers: [Answer(200, "Who asks.", "Session", example: sessionExample)], handler: .whole(AdminCall.showSession)),
    Endpoint(
      .delete, "/v1/admin/session", id: "signOut", in: .administration, "Sign out",
      "The session is over on every node.",
      by: .permission(.viewMessages), answers: [Answer(204, "Signed out.")], problems: [.conflict],
      handler: .whole(AdminCall.signOut)),
    Endpoint(
      .put, "/v1/admin/session/password", id: "choosePassword", in: .administration, "Choose a password",
      "Needs the present one, unless the account has none or the session began with a link. Signs out everywhere.",
      by: .permission(.viewMessages), load: .password,
      body: Body(schema: "Password", examples: [("first", #"{"new":"correct horse battery"}"#)]),
      answers: [Answer(204, "It is chosen. Sign in with it.")], handler: .whole(AdminCall.choosePassword)),
    Endpoint(
      .get, "/v1/admin/accounts", id: "listAccounts", in: .administration, "List console accounts",
      "Disabled ones too.", by: .permission(.manageAccounts), parameters: [.limit, .pageCursor],
      answers: [Answer(200, "A page of accounts.", "AccountPage", example: Answer.page(accountExample))],
      problems: [.invalidField], handler: .whole(AdminCall.accounts)),
    Endpoint(
      .post, "/v1/admin/accounts", id: "createAccount", in: .administration, "Make a console account",
      "Answers a link that opens it once, within an hour; there its owner chooses a password.",
      by: .permission(.manageAccounts),
      body: Body(
        schema: "NewAccount",
        examples: [("operator", #"{"login":"kim@example.com","name":"Kim","role":"operator"}"#)]),
      answers: [Answer(201, "The account is made.", "SignInLink", example: linkExample)],
      problems: [.unknownApp, .conflict], handler: .whole(AdminCall.createAccount)),
    Endpoint(
      .patch, "/v1/admin/accounts/{account}", id: "changeAccount", in: .administration, "Change a console account",
      "One that is disabled, or gets another role, is signed out everywhere.", by: .permission(.manageAccounts),
      body: Body(schema: "AccountChange", examples: [("name", #"{"name":"Kim Minsu"}"#)]),
      answers: [Answer(200, "As it is now.", "Account", example: accountExample)], problems: [.notFound, .conflict],
      handler: .whole(AdminCall.changeAccount)),
    Endpoint(
      .post, "/v1/admin/accounts/{account}/link", id: "linkAccount", in: .administration, "Make another sign-in link",
      "For who has lost the password. It works once, within an hour.", by: .permission(.manageAccounts),
      answers: [Answer(201, "The link.", "SignInLink", example: linkExample)], problems: [.notFound],
      handler: .whole(AdminCall.linkAccount)),
  ]

  private static let sessionExample = """
    {"by":"account","login":"kim@example.com","name":"Kim","role":"operator","appId":null,\
    "endsAt":"2026-11-21T21:30:00.123Z","needsPassword":false,"csrfToken":"q9x2LxP1"}
    """

  private static let accountExample = """
    {"account":"2","login":"kim@example.com","name":"Kim","role":"operator","appId":null,\
    "createdAt":"2026-11-21T09:30:00.123Z","disabledAt":null,"hasPassword":true}
    """

  private static let linkExample = """
    {"account":"2","path":"/#sign-in=q9x2LxP1","endsAt":"2026-11-21T10:30:00.123Z"}
    """
}
