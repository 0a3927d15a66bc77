package import JSON

/// Sign-in methods of this installation, for the sign-in page.
package struct SignInMethods: DescribedAnswer {
  private let policy: ConsolePolicy
  private let settings: OpenIDSettings?

  package init(_ policy: ConsolePolicy, _ provider: OpenIDProvider?) {
    self.policy = policy
    settings = provider?.settings
  }

  package static let object = JSONObject<SignInMethods>(
    "SignInMethods",
    [
      .always("password", .flag, \.policy.takesPasswords),
      .always("identityProvider", .orNull(.anyText), \.settings?.label, "What it is called; null: there is none."),
    ])
}
