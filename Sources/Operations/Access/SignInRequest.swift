package import Domain
package import JSON

/// Body of a sign-in: `{"login","password"}`, or `{"link","replace"?}` with the token of a sign-in link. Both can also
/// contain the `code` of the second factor, which is needed if the account has one.
package struct SignInRequest: Sendable {
  package let proof: SignInService.Proof
  /// Whether a link may replace a different account's session in this browser. Has no effect on a sign-in with a
  /// password, which always replaces it.
  package let replaces: Bool
  /// Second-factor code; nil if none was sent.
  package let code: String?

  package init(_ body: [UInt8]) throws(Problem) {
    var (login, password, link, code): (String?, String?, String?, String?)
    var replaces = false
    var reader = JSONReader(body)
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        switch key {
        case "login": login = try Self.secret.read(&reader)
        case "password": password = try Self.secret.read(&reader)
        case "link": link = try Self.secret.read(&reader)
        case "code": code = try Self.codeForm.read(&reader)
        case "replace": replaces = try reader.readBool()
        default: throw .unknownField
        }
      }
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    self.replaces = replaces
    self.code = code
    switch (login, password, link) {
    case (let login?, let password?, nil): proof = .password(login: login, password)
    case (nil, nil, let link?): proof = .link(link)
    default: throw Problem(.invalidField, "Give login and password, or link.")
    }
  }

  private static let secret = JSONForm.text(upTo: Domain.Limits.clientUIDBytes)
  private static let codeForm = JSONForm.text(upTo: Operations.Limits.codeBytes)
  private static let codeProperty = JSONSchema.Property.optional(
    "code", codeForm.schema, "Of the authenticator app, or a recovery code, where the account has a second factor.")

  package static let schema: JSONTree.Member = (
    "SignIn",
    JSONSchema.oneOf([
      JSONSchema.object(
        isClosed: true,
        [.required("login", secret.schema), .required("password", secret.schema), codeProperty]
      ).titled("SignInByPassword"),
      JSONSchema.object(
        isClosed: true,
        [
          .required("link", secret.schema, "The token behind `#sign-in=`."), codeProperty,
          .optional("replace", JSONSchema.flag, "True: also in place of another account that is signed in here."),
        ]
      ).titled("SignInByLink"),
    ])
  )
}
