internal import Domain

/// Configuration of the console's sign-in at an identity provider (OpenID Connect Core 1.0).
package struct OpenIDSettings: Sendable {
  /// The provider's issuer identifier, exactly as its tokens state it.
  package var issuer: String
  package var clientID: String
  /// Nil for a public client, which only PKCE protects.
  package var clientSecret: String?
  /// Redirect URL of the console, as registered with the provider; never taken from a request.
  package var redirectURL: String
  package var scope = "openid profile email"
  /// Name of the claim with a person's login.
  package var loginClaim = "email"
  /// Name of the claim with the groups or roles that the provider assigns to a person.
  package var roleClaim = "groups"
  /// Console role for each of the provider's groups or roles that gives one. A person with several of them has the
  /// strongest role, a person with none of them no role.
  package var roles: [String: Role]
  /// Name of the claim with the id of the only app that a person may access, or `*` for all; nil if everybody may
  /// access all apps.
  package var appClaim: String?
  /// Minimum number of seconds between two fetches of the provider's keys that are made because no cached key has
  /// signed a token. It is needed because anyone can send such tokens.
  package var keyPauseSeconds = Operations.Limits.keyPauseSeconds
  /// Name of the provider on the sign-in page.
  package var label: String

  package init(
    issuer: String, clientID: String, clientSecret: String?, redirectURL: String, roles: [String: Role], label: String
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.redirectURL = redirectURL
    self.roles = roles
    self.label = label
  }
}

/// Reason for which a sign-in at the identity provider is refused.
struct OpenIDFault: Error, Equatable {
  /// Fixed identifier for the audit log, such as `id-token-issuer`.
  let reason: String
  /// Predicate that completes the sentence "The identity provider's answer is refused: it …".
  let detail: Sentence

  init(_ reason: String, _ detail: Sentence) {
    self.reason = reason
    self.detail = detail
  }
}
