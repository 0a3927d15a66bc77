internal import JSON
internal import Domain

/// Sessions and accounts of the console.
extension Schemas {
  static let accounts: [JSONTree.Member] = [
    (
      "SignIn",
      JSONSchema.oneOf([
        JSONSchema.object(isClosed: true, [.needed("login", secret), .needed("password", secret)]),
        JSONSchema.object(
          isClosed: true,
          [
            .needed("link", secret, "The token behind `#sign-in=`."),
            .optional("replace", JSONSchema.flag, "True: also in place of another account that is signed in here."),
          ]),
      ])
    ),
    (
      "Session",
      JSONSchema.object([
        .needed("by", JSONSchema.words(["account", "api-key"])), .needed("name", JSONSchema.anyText),
        .needed("role", roles),
        .optional("login", JSONSchema.anyText), .optional("appId", JSONSchema.optional(JSONSchema.anyText)),
        .optional("endsAt", JSONSchema.moment),
        .optional("needsPassword", JSONSchema.flag, "None has been chosen yet."),
        .optional("csrfToken", JSONSchema.anyText, "For `X-CSRF-Token`."),
      ])
    ),
    (
      "Password",
      JSONSchema.object(
        isClosed: true,
        [
          .needed("new", JSONSchema.givenText, "10 to 256 bytes."), .optional("current", JSONSchema.givenText),
        ])
    ),
    ("AccountPage", page(of: JSONSchema.reference("Account"))),
    (
      "Account",
      JSONSchema.object([
        .needed("account", JSONSchema.sequence), .needed("login", JSONSchema.anyText),
        .needed("name", JSONSchema.anyText),
        .needed("role", roles), .needed("appId", JSONSchema.optional(JSONSchema.anyText), "The only app; null: all."),
        .needed("createdAt", JSONSchema.moment), .needed("disabledAt", JSONSchema.optional(JSONSchema.moment)),
        .needed("hasPassword", JSONSchema.flag),
      ])
    ),
    (
      "NewAccount",
      JSONSchema.object(
        isClosed: true,
        [
          .needed(
            "login", JSONSchema.text(upTo: 254, matching: #"^[^\u0000-\u0020\u007F]+$"#),
            "An e-mail address, or any name without blanks."),
          .needed("name", JSONSchema.text(upTo: 256)), .needed("role", roles),
          .optional("appId", JSONSchema.optional(JSONSchema.appID), "The only app it reaches."),
        ])
    ),
    (
      "AccountChange",
      JSONSchema.object(
        isClosed: true,
        [
          .optional("name", JSONSchema.text(upTo: 256)), .optional("role", roles),
          .optional("disabled", JSONSchema.flag),
        ])
    ),
    (
      "SignInLink",
      JSONSchema.object([
        .needed("account", JSONSchema.sequence), .needed("path", JSONSchema.anyText, "Behind the server's address."),
        .needed("endsAt", JSONSchema.moment),
      ])
    ),
  ]

  private static let secret = JSONSchema.text(upTo: Domain.Limits.clientUIDBytes)
}
