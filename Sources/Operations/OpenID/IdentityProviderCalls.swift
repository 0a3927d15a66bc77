package import Domain

/// Sends HTTP requests to the identity provider. Each call blocks for some seconds at most.
package protocol IdentityProviderCalls: Sendable {
  /// Sends a GET request.
  /// - Throws: `.identityProviderAway` without a complete response.
  func get(_ url: String) throws(Problem) -> IdentityProviderAnswer

  /// Posts a form.
  /// - Parameter authorization: value of the Authorization header; nil to send none.
  /// - Throws: `.identityProviderAway` without a complete response.
  func post(_ url: String, form: String, authorization: String?) throws(Problem) -> IdentityProviderAnswer
}

/// A response of the identity provider.
package struct IdentityProviderAnswer: Sendable {
  package let status: Int
  package let body: [UInt8]

  package init(status: Int, body: [UInt8]) {
    self.status = status
    self.body = body
  }
}
