package import Domain

/// The HTTP requests to the identity provider. Each call blocks until the response is complete, for some seconds at
/// most, and returns the response whatever its status is.
package protocol IdentityProviderCalls: Sendable {
  /// Sends a GET request.
  /// - Throws: `.identityProviderAway` if there is no complete response.
  func get(_ url: String) throws(Problem) -> IdentityProviderAnswer

  /// Posts a form.
  /// - Parameters:
  ///   - form: the body, in the form encoding (`FormText.form`).
  ///   - authorization: value of the Authorization header; nil to send none.
  /// - Throws: `.identityProviderAway` if there is no complete response.
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
