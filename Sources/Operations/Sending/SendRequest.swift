package import Domain
internal import Store
internal import Time
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

/// A second person's approval of a waiting send.
struct SendConsent: Sendable {
  let approval: Approvals.Number
  let by: Caller
  /// Digest of the original request.
  let requestSHA256: [UInt8]
  /// Time of the original request.
  let requestedAt: Timestamp
  /// Number of devices that was shown to the approver; nil if it was not counted.
  let targeted: Int64?
}

/// Rules for idempotency keys, which make it safe to repeat a send.
enum IdempotencyKey {
  /// Returns the problem for a key that an earlier, different request has used.
  static func conflict(_ key: String, _ earlier: Messages.Earlier) -> Problem {
    Problem(
      .idempotencyConflict,
      "The key \"\(key)\" was used for another request (message \(earlier.seqno)). Use a new key for a new message.")
  }

  /// The problem for a key that a concurrent request uses, whose answer is not known yet.
  static let isInUse = Problem(.busy, "The same Idempotency-Key is being used by another request. Try again.")

  /// Throws `.invalidField` if the length of the key is not permitted. Nil, for no key, is valid.
  static func check(_ key: String?) throws(Problem) {
    guard let key else { return }
    guard (1...Domain.Limits.idempotencyKeyBytes).contains(key.utf8.count) else {
      throw Problem(
        .invalidField, "An Idempotency-Key must have 1 to \(Domain.Limits.idempotencyKeyBytes) bytes.")
    }
  }
}
