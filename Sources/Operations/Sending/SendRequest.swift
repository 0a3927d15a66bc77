package import Domain

/// Somebody asks for a message to be sent.
package struct SendRequest: Sendable {
  /// JSON, as it came.
  package let body: [UInt8]
  /// Makes repeating harmless; per app.
  package let idempotencyKey: String?
  package let caller: Caller
  /// Where pages and media are reached.
  package let hosting: ContentHosting
  /// Seals what a confidential message says; nil: the catalog's does.
  package var seal: ContentSeal?
  package var door = App.Confidentiality.Door.api
  /// A scheduled message that is cancelled in the same commit.
  package var replaces: Int64?
  /// Of the second person, where one was asked.
  var consent: SendConsent?

  package init(
    body: [UInt8], idempotencyKey: String?, caller: Caller, hosting: ContentHosting = ContentHosting(publicURL: nil)
  ) {
    self.body = body
    self.idempotencyKey = idempotencyKey
    self.caller = caller
    self.hosting = hosting
  }
}
