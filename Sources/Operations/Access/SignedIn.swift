package import JSON

/// The identity reported to the console: a signed-in account or the holder of an API key.
package struct SignedIn: DescribedAnswer {
  /// The session of a console account; nil for an API key.
  private let session: SignInService.Session?
  private let name: String
  private let role: String

  package init(_ session: SignInService.Session) {
    self.session = session
    (name, role) = (session.name, session.role)
  }

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
      .optional("needsPassword", .flag, \.session?.needsPassword, "None has been chosen yet."),
      .optional(
        "csrfToken", .anyText, { $0.session.map { SignInService.csrfToken(of: $0.token) } }, "For `X-CSRF-Token`."),
    ])
}
