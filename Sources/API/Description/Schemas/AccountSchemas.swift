internal import Domain

/// Sessions and accounts of the console.
extension Schemas {
  static let accounts: [Node.Member] = [
    (
      "SignIn",
      Schema.oneOf([
        Schema.object(isClosed: true, [.needed("login", secret), .needed("password", secret)]),
        Schema.object(
          isClosed: true,
          [
            .needed("link", secret, "The token behind `#sign-in=`."),
            .optional("replace", Schema.flag, "True: also in place of another account that is signed in here."),
          ]),
      ])
    ),
    (
      "Session",
      Schema.object([
        .needed("by", Schema.words(["account", "api-key"])), .needed("name", Schema.anyText), .needed("role", roles),
        .optional("login", Schema.anyText), .optional("appId", Schema.optional(Schema.anyText)),
        .optional("endsAt", Schema.moment), .optional("needsPassword", Schema.flag, "None has been chosen yet."),
        .optional("csrfToken", Schema.anyText, "For `X-CSRF-Token`."),
      ])
    ),
    (
      "Password",
      Schema.object(
        isClosed: true,
        [
          .needed("new", Schema.givenText, "10 to 256 bytes."), .optional("current", Schema.givenText),
        ])
    ),
    ("AccountPage", page(of: Schema.reference("Account"))),
    (
      "Account",
      Schema.object([
        .needed("account", Schema.sequence), .needed("login", Schema.anyText), .needed("name", Schema.anyText),
        .needed("role", roles), .needed("appId", Schema.optional(Schema.anyText), "The only app; null: all."),
        .needed("createdAt", Schema.moment), .needed("disabledAt", Schema.optional(Schema.moment)),
        .needed("hasPassword", Schema.flag),
      ])
    ),
    (
      "NewAccount",
      Schema.object(
        isClosed: true,
        [
          .needed(
            "login", Schema.text(upTo: 254, matching: #"^[^\u0000-\u0020\u007F]+$"#),
            "An e-mail address, or any name without blanks."),
          .needed("name", Schema.text(upTo: 256)), .needed("role", roles),
          .optional("appId", Schema.optional(Schema.appID), "The only app it reaches."),
        ])
    ),
    (
      "AccountChange",
      Schema.object(
        isClosed: true,
        [
          .optional("name", Schema.text(upTo: 256)), .optional("role", roles), .optional("disabled", Schema.flag),
        ])
    ),
    (
      "SignInLink",
      Schema.object([
        .needed("account", Schema.sequence), .needed("path", Schema.anyText, "Behind the server's address."),
        .needed("endsAt", Schema.moment),
      ])
    ),
  ]

  private static let secret = Schema.text(upTo: Domain.Limits.clientUIDBytes)
}
