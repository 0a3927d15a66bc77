internal import Store

/// How a session began. Raw values are stored.
package enum SignInWay: String, CaseIterable, Sendable {
  case password
  case link
  /// At the identity provider.
  case openID = "openid"
}

/// A signed-in session.
package struct ConsoleSession: Sendable {
  /// For the cookie; never part of a response body.
  package let token: String
  package let login: String
  package let name: String
  package let role: String
  package let appID: String?
  package let endsAt: Int64
  package let way: SignInWay
  /// True until a password has been chosen; always false for accounts of the identity provider.
  package let needsPassword: Bool
  package let hasFactor: Bool
  /// True until a second factor has been set up, where the role needs one: the session may do nothing else.
  package let needsFactor: Bool

  init(_ account: Accounts.Record, token: String, endsAt: Int64, _ way: SignInWay, _ policy: ConsolePolicy) {
    self.token = token
    login = account.login
    name = account.name
    role = account.role
    appID = account.appID
    self.endsAt = endsAt
    self.way = way
    needsPassword = account.password == nil && !account.isByProvider && policy.takesPasswords
    hasFactor = account.factor != nil
    needsFactor = policy.needsFactor(
      Role(rawValue: account.role) ?? .viewer, has: account.factor != nil, byProvider: way == .openID)
  }
}

extension ConsolePolicy {
  /// Whether a session may only set up its second factor.
  /// - Parameter byProvider: whether it began at the identity provider, which asks for its own second factor.
  func needsFactor(_ role: Role, has factor: Bool, byProvider: Bool) -> Bool {
    secondFactor.contains(role) && !factor && !byProvider
  }
}

extension Operations.Limits {
  /// A working day.
  package static let sessionSeconds: Int64 = 12 * 3600
  static let sessionIdleSeconds: Int64 = 2 * 3600
}
