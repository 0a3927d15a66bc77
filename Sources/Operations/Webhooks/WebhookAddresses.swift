package import Domain

/// Rules for webhook addresses.
///
/// An address to which no event can ever be delivered is refused when it is set, by its text alone. The host name is
/// not resolved then, because its IP addresses can change; these are checked at each connection.
package struct WebhookAddresses: Sendable {
  /// Returns the reason why no request to a URL would ever be made, as the end of a sentence that begins with the
  /// member's pointer; nil if the URL is permitted.
  let objection: @Sendable (_ url: String) -> Sentence?

  /// Creates the rules.
  /// - Parameter objection: returns the objection to a URL; nil if the URL is permitted.
  package init(objection: @escaping @Sendable (_ url: String) -> Sentence?) {
    self.objection = objection
  }

  /// Rules that permit every URL, for processes that deliver no events.
  package static let any = WebhookAddresses { _ in nil }
}
