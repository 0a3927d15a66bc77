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

/// Terms of a send that follow from its request and app alone, without any query: permission, confidentiality, the
/// digest that identifies a repeated request, and the message's row. Shared by `SendService` and `DirectSend`.
struct SendTerms: Sendable {
  let request: MessageRequest
  let app: App
  let digest: RequestDigest
  let idempotencyKey: String?
  private let apiKey: Int32?
  private let seal: ContentSeal?

  /// Checks a request.
  /// - Parameters:
  ///   - filled: the JSON that the message was parsed from: the body, completed from its template.
  ///   - seal: the process's key for confidential content, unless the request has its own.
  /// - Throws: `.forbidden`, `.conflict` if the app is being deleted, or the problem with the idempotency key, the
  ///   origin or confidential content.
  init(
    _ message: MessageRequest, filled: [UInt8], _ asked: SendRequest, _ app: App, seal: ContentSeal?
  ) throws(Problem) {
    try asked.caller.require(.send, in: app)
    try asked.caller.requireOrigin(of: message)
    try IdempotencyKey.check(asked.idempotencyKey)
    var message = message
    message.isConfidential = app.confidentiality.covers(message, from: asked.interface)
    try ConfidentialityRules.check(message, filled)
    request = message
    self.app = app
    self.seal = asked.seal ?? seal
    // The number of the message to replace is part of the digest, because the same key for another message is a
    // different request.
    let digested = asked.replaces.map { Array("replace \($0)\n".utf8) + asked.body } ?? asked.body
    digest =
      asked.consent.map { RequestDigest(stored: $0.requestSHA256) }
      ?? RequestDigest(digested, isConfidential: message.isConfidential, seal: self.seal)
    idempotencyKey = asked.idempotencyKey
    apiKey = asked.caller.apiKey
  }

  /// Returns the form in which the request is stored.
  /// - Parameter json: the request to store, with template and segment resolved.
  /// - Throws: `.notConfigured` if the message is confidential and there is no key to encrypt its content.
  func kept(_ json: [UInt8]) throws(Problem) -> StoredRequest {
    try StoredRequest(json, isConfidential: request.isConfidential, of: app.number, seal: seal)
  }

  /// Returns the row to store, with what follows from the request. The caller sets what depends on how the message is
  /// created, such as due time, links, trace and approval.
  /// - Parameters:
  ///   - targeted: number of devices; nil if they were not counted.
  ///   - unknown: JSON array of the audience's entries that match no active device.
  func message(
    _ kept: StoredRequest, targeted: Int64?, unknown: [UInt8], now: Timestamp, expiresAt: Timestamp
  ) -> Messages.New {
    var new = Messages.New(
      app: app.number, lane: request.lane, request: kept.text, requestSHA256: digest.stored,
      idempotencyKey: idempotencyKey, apiKey: apiKey, targeted: targeted,
      unknownEntries: String(decoding: unknown, as: UTF8.self), keepsHistory: request.dbIn, now: now,
      expiresAt: expiresAt)
    new.sealed = kept.sealed
    new.purpose = request.purpose
    new.fallback = request.fallback?.unless
    new.inboxSeconds = request.inboxSeconds
    return new
  }
}
