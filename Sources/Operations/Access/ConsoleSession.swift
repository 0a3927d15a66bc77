internal import Store
package import Time

/// Method by which a session was started. Raw values are stored in the database.
package enum SignInMethod: String, CaseIterable, Sendable {
  case password
  case link
  /// Signed in at the identity provider (OpenID Connect).
  case openID = "openid"
}

/// A session of a console account, with what the console shows about the account.
package struct ConsoleSession: Sendable {
  /// Session token for the cookie; never part of a response body.
  package let token: String
  package let login: String
  package let name: String
  package let role: String
  package let appID: String?
  package let endsAt: Timestamp
  package let method: SignInMethod
  /// True until a password has been chosen; always false for accounts of the identity provider, and where passwords are
  /// not accepted.
  package let needsPassword: Bool
  package let hasFactor: Bool
  /// True if the role needs a second factor and none has been set up: the session may only set one up. Always false for
  /// sessions started at the identity provider.
  package let needsFactor: Bool

  init(_ account: Accounts.Record, token: String, endsAt: Timestamp, _ method: SignInMethod, _ policy: ConsolePolicy) {
    self.token = token
    login = account.login
    name = account.name
    role = account.role
    appID = account.appID
    self.endsAt = endsAt
    self.method = method
    needsPassword = account.password == nil && !account.isByProvider && policy.takesPasswords
    hasFactor = account.factor != nil
    needsFactor = policy.needsFactor(
      Role(rawValue: account.role) ?? .viewer, has: account.factor != nil, byProvider: method == .openID)
  }
}

extension ConsolePolicy {
  /// Returns whether a session may only set up its second factor: the role needs one, and the account has none.
  /// - Parameter byProvider: whether the session was started at the identity provider, which asks for its own second
  ///   factor.
  func needsFactor(_ role: Role, has factor: Bool, byProvider: Bool) -> Bool {
    secondFactor.contains(role) && !factor && !byProvider
  }
}

extension Operations.Limits {
  /// Maximum lifetime of a session in seconds: 12 hours, a working day. Using the session does not extend it.
  package static let sessionSeconds: Int64 = 12 * 3600
  /// Time in seconds without a request after which a session ends: 2 hours.
  static let sessionIdleSeconds: Int64 = 2 * 3600
}
