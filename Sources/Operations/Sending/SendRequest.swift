package import Domain
package import Tracing

/// A request to send a message.
package struct SendRequest: Sendable {
  /// The request's JSON, as received.
  package let body: [UInt8]
  /// Key that identifies a repeated request, unique per app; nil if the client gave none.
  package let idempotencyKey: String?
  package let caller: Caller
  /// Addresses of hosted pages and media.
  package let hosting: ContentHosting
  /// Encrypts confidential content; nil to use the catalog's key.
  package var seal: ContentSeal?
  package var interface = App.Confidentiality.Interface.api
  /// Parent of the message's spans; nil if the message is not traced.
  package let trace: TraceContext?
  /// SEQNO of the scheduled message that this one replaces, which is cancelled in the same commit; nil if there is
  /// none.
  var replaces: Seqno?
  /// The second person's approval, if this is the execution of an approved request; nil for a client's own request.
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
