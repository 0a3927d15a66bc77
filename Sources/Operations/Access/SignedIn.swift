internal import Domain
package import JSON

/// The identity reported to the console: a signed-in account or the holder of an API key.
package struct SignedIn: DescribedAnswer {
  /// The session of a console account; nil for an API key.
  private let session: ConsoleSession?
  private let name: String
  private let role: String

  package init(_ session: ConsoleSession) {
    self.session = session
    (name, role) = (session.name, session.role)
  }

  /// Creates the identity of an API key.
  /// - Parameter caller: authenticated by an API key.
  package init(_ caller: Caller) {
    session = nil
    (name, role) = (caller.name, caller.role.rawValue)
  }

  package static let object = JSONObject<SignedIn>(
    "Session",
    [
      .always("by", .words(["account", "api-key"]), { $0.session == nil ? "api-key" : "account" }),
      .always("name", .anyText, \.name), .always("role", .role, \.role), .optional("login", .anyText, \.session?.login),
      .optional("appId", .orNull(.anyText), { $0.session.map(\.appID) }),
      .optional("endsAt", .moment, \.session?.endsAt),
      .optional("signedInBy", .words(SignInMethod.allCases.map(\.rawValue)), \.session?.method.rawValue),
      .optional("needsPassword", .flag, \.session?.needsPassword, "None has been chosen yet."),
      .optional("hasSecondFactor", .flag, \.session?.hasFactor),
      .optional(
        "needsSecondFactor", .flag, \.session?.needsFactor,
        "The role needs one: until it is set up, the session may do nothing else."),
      .optional(
        "csrfToken", .anyText, { $0.session.map { SignInService.csrfToken(of: $0.token) } }, "For `X-CSRF-Token`."),
    ])
}
