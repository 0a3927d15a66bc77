package import Domain

/// Which addresses a webhook may have.
///
/// An address that no event can ever reach is refused when it is given, by its text alone: nothing is resolved, because
/// what a name means may change. What a name means then is checked at each connection.
package struct WebhookAddresses: Sendable {
  /// Why no request to a URL would ever be made, as the end of a sentence that begins with the member's pointer; nil: it
  /// may be.
  let objection: @Sendable (_ url: String) -> Sentence?

  /// - Parameter objection: nil where a URL may be called.
  package init(objection: @escaping @Sendable (_ url: String) -> Sentence?) {
    self.objection = objection
  }

  /// Any that is a URL, where nothing is sent.
  package static let any = WebhookAddresses { _ in nil }
}
