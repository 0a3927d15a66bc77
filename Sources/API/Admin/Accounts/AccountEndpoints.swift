internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for console accounts.
extension Endpoint {
  static let accounts: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/accounts", id: "listAccounts", in: .administration, "List console accounts",
      "Disabled ones too.", by: .permission(.manageAccounts), parameters: [.limit, .cursor],
      answers: [
        Answer(200, "A page of accounts.", ItemPage<ConsoleAccounts.Entry>.object, example: Answer.page(accountExample))
      ],
      problems: [.invalidField], handler: .whole(AdminCall.accounts)),
    Endpoint(
      .post, "/v1/admin/accounts", id: "createAccount", in: .administration, "Make a console account",
      "Answers a link that opens it once, within an hour; there its owner chooses a password.",
      by: .permission(.manageAccounts), needsFreshSignIn: true,
      body: Body(
        ConsoleAccounts.NewAccount.object,
        examples: [("operator", #"{"login":"kim@example.com","name":"Kim","role":"operator"}"#)]),
      answers: [Answer(201, "The account is made.", ConsoleAccounts.Link.object, example: linkExample)],
      problems: [.unknownApp, .conflict], handler: .whole(AdminCall.createAccount)),
    Endpoint(
      .patch, "/v1/admin/accounts/{accountId}", id: "changeAccount", in: .administration, "Change a console account",
      "One that is disabled, or gets another role, is signed out everywhere.", by: .permission(.manageAccounts),
      needsFreshSignIn: true,
      body: Body(ConsoleAccounts.Change.object, examples: [("name", #"{"name":"Kim Minsu"}"#)]),
      answers: [Answer(200, "As it is now.", ConsoleAccounts.Entry.object, example: accountExample)],
      problems: [.notFound, .conflict],
      handler: .whole(AdminCall.changeAccount)),
    Endpoint(
      .post, "/v1/admin/accounts/{accountId}/link", id: "linkAccount", in: .administration, "Make another sign-in link",
      "For somebody else who has lost the password. It works once, within an hour.", by: .permission(.manageAccounts),
      needsFreshSignIn: true,
      answers: [Answer(201, "The link.", ConsoleAccounts.Link.object, example: linkExample)],
      problems: [.notFound, .conflict], handler: .whole(AdminCall.linkAccount)),
    Endpoint(
      .delete, "/v1/admin/accounts/{accountId}/second-factor", id: "resetSecondFactor", in: .administration,
      "Reset an account's second factor",
      """
      For somebody who has lost both telephone and recovery codes. Another administrator does it; the account is signed out \
      everywhere. Its owner then signs in with the password alone, and sets up a new one where the role needs it. Make sure \
      who is asking.
      """, by: .permission(.manageAccounts), needsFreshSignIn: true,
      answers: [Answer(200, "As it is now.", ConsoleAccounts.Entry.object, example: accountExample)],
      problems: [.notFound, .conflict], handler: .whole(AdminCall.resetSecondFactor)),
  ]

  /// The named schemas that the endpoints of sessions, second factors, the identity provider and accounts add to the
  /// OpenAPI document (`Schemas`), in the document's order.
  static let accountSchemas: [JSONTree.Member] =
    [
      SignInRequest.schema, SignedIn.object.named, PasswordService.NewPassword.object.named,
      ItemPage<SessionService.Entry>.object.named, SessionService.Entry.object.named,
      ItemPage<ConsoleAccounts.Entry>.object.named, ConsoleAccounts.Entry.object.named,
      ConsoleAccounts.NewAccount.object.named, ConsoleAccounts.Change.object.named, ConsoleAccounts.Link.object.named,
    ] + secondFactorSchemas + openIDSchemas

  private static let accountExample = """
    {"accountId":"2","login":"kim@example.com","name":"Kim","role":"operator","appId":null,\
    "createdAt":"2026-11-21T09:30:00.123Z","disabledAt":null,"hasPassword":true,"hasSecondFactor":true,\
    "byIdentityProvider":false}
    """

  private static let linkExample = """
    {"accountId":"2","path":"/#sign-in=q9x2LxP1","endsAt":"2026-11-21T10:30:00.123Z"}
    """
}

extension AdminCall {
  fileprivate func accounts() throws(Problem) -> Response {
    .json(.ok, try ConsoleAccounts.list(try page(), by: caller, on: connection))
  }

  fileprivate func createAccount() throws(Problem) -> Response {
    let new = try body(ConsoleAccounts.NewAccount.object)
    return .json(
      .created,
      try ConsoleAccounts.create(
        new.login, name: new.name, role: new.role, appID: new.appID, by: caller, on: connection,
        now: now))
  }

  fileprivate func changeAccount() throws(Problem) -> Response {
    let change = try body(ConsoleAccounts.Change.object)
    return .json(.ok, try ConsoleAccounts.change(try account(), change, by: caller, on: connection))
  }

  fileprivate func linkAccount() throws(Problem) -> Response {
    .json(
      .created,
      try ConsoleAccounts.link(try account(), by: caller, on: connection, now: now))
  }

  fileprivate func resetSecondFactor() throws(Problem) -> Response {
    .json(.ok, try ConsoleAccounts.resetFactor(try account(), by: caller, on: connection))
  }

  private func account() throws(Problem) -> Int32 {
    guard let number = Int32(parameters["accountId"]) else {
      throw Problem(.notFound, "An account's number is a whole number, as lists show it.")
    }
    return number
  }
}
