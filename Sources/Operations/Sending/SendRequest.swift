package import Domain
package import Tracing

/// A request to send a message.
package struct SendRequest: Sendable {
  /// The request's JSON, as received.
  package let body: [UInt8]
  /// Makes repetition safe; unique per app.
  package let idempotencyKey: String?
  package let caller: Caller
  /// Addresses of hosted pages and media.
  package let hosting: ContentHosting
  /// Seals confidential content; nil to use the catalog's seal.
  package var seal: ContentSeal?
  package var door = App.Confidentiality.Door.api
  /// What the message is traced below; nil: nothing.
  package let trace: TraceContext?
  /// A scheduled message that is cancelled in the same commit.
  var replaces: Int64?
  /// Of the second person, where one was asked.
  var consent: SendConsent?

  package init(
    body: [UInt8], idempotencyKey: String?, caller: Caller, hosting: ContentHosting = ContentHosting(publicURL: nil),
    trace: TraceContext? = nil
  ) {
    self.body = body
    self.idempotencyKey = idempotencyKey
    self.caller = caller
    self.hosting = hosting
    self.trace = trace
  }
}
