package import Domain

/// Calls of the identity provider over HTTP. Blocking, for some seconds at most.
package protocol IdentityProviderCalls: Sendable {
  /// - Throws: `.identityProviderAway` without a complete answer.
  func get(_ url: String) throws(Problem) -> IdentityProviderAnswer

  /// Posts a form.
  /// - Parameter authorization: value of the header; nil without one.
  /// - Throws: `.identityProviderAway` without a complete answer.
  func post(_ url: String, form: String, authorization: String?) throws(Problem) -> IdentityProviderAnswer
}

/// An answer of the identity provider.
package struct IdentityProviderAnswer: Sendable {
  package let status: Int
  package let body: [UInt8]

  package init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}
