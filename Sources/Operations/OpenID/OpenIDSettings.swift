internal import Domain

/// How the console signs people in at an identity provider, from the configuration (OpenID Connect Core 1.0).
package struct OpenIDSettings: Sendable {
  /// The provider's issuer identifier, exactly as its tokens state it.
  package var issuer: String
  package var clientID: String
  /// Nil for a public client, which PKCE alone protects.
  package var clientSecret: String?
  /// The console's address, as registered with the provider; never taken from a request.
  package var redirectURL: String
  package var scope = "openid profile email"
  /// Claim with the name that people sign in with.
  package var loginClaim = "email"
  /// Claim with the groups or roles that the provider gives a person.
  package var roleClaim = "groups"
  /// The console's role for each of these.
  package var roles: [String: Role]
  /// Claim with the id of the only app that a person reaches, or `*` for all; nil: everybody reaches all.
  package var appClaim: String?
  /// Least seconds between two readings of the provider's keys: anybody may name an unknown key.
  package var keyPauseSeconds = Operations.Limits.keyPauseSeconds
  /// What the sign-in page calls the provider.
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

/// Why a sign-in at the identity provider is refused.
struct OpenIDFault: Error, Equatable {
  /// A stable word for the audit log.
  let reason: String
  /// Completes the sentence "The identity provider's answer is refused: it …".
  let detail: Sentence

  init(_ reason: String, _ detail: Sentence) {
    self.reason = reason
    self.detail = detail
  }
}
