internal import Domain
internal import Store
internal import Time

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
      unknownEntries: String(decoding: unknown, as: UTF8.self), now: now, expiresAt: expiresAt)
    new.sealed = kept.sealed
    new.purpose = request.purpose
    new.fallback = request.fallback?.unless
    new.inboxSeconds = request.inboxSeconds
    return new
  }
}
