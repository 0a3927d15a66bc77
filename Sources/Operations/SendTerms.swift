internal import Domain
internal import Store

/// What a request and its app decide about a send, whichever way it goes on: whether the caller may, what is confidential,
/// what tells it from another request, what its row says. The database is asked for nothing.
struct SendTerms: Sendable {
  let request: MessageRequest
  let app: App
  let digest: RequestDigest
  let idempotencyKey: String?
  private let apiKey: Int32?
  private let seal: ContentSeal?

  /// - Parameters:
  ///   - filled: the JSON that the message was read from: the body, filled in from its template.
  ///   - seal: of the process; the request may bring its own.
  /// - Throws: `.forbidden` and what is wrong with the key, the origin, or confidential content.
  init(
    _ message: MessageRequest, filled: [UInt8], _ asked: SendRequest, _ app: App, seal: ContentSeal?
  ) throws(Problem) {
    try asked.caller.require(.send, in: app)
    try asked.caller.requireOrigin(of: message)
    try IdempotencyKey.check(asked.idempotencyKey)
    var message = message
    message.isConfidential = app.confidentiality.covers(message, from: asked.door)
    try Confiding.check(message, filled)
    request = message
    self.app = app
    self.seal = asked.seal ?? seal
    digest =
      asked.consent.map { RequestDigest(stored: $0.requestSHA256) }
      ?? RequestDigest(asked.body, isConfidential: message.isConfidential, seal: self.seal)
    idempotencyKey = asked.idempotencyKey
    apiKey = asked.caller.apiKey
  }

  /// - Parameter json: of the request, as it is to be read again.
  func kept(_ json: [UInt8]) throws(Problem) -> StoredRequest {
    try StoredRequest(json, isConfidential: request.isConfidential, of: app.number, seal: seal)
  }

  /// - Parameters:
  ///   - unknown: recipients whom nobody knows, as JSON.
  ///   - now: microseconds since 1970, as `expiresAt`.
  func message(
    _ kept: StoredRequest, targeted: Int64?, unknown: [UInt8], now: Int64, expiresAt: Int64
  ) -> Messages.New {
    var new = Messages.New(
      app: app.number, lane: request.lane, request: kept.text, requestSHA256: digest.stored,
      idempotencyKey: idempotencyKey, apiKey: apiKey, targeted: targeted,
      unknownEntries: String(decoding: unknown, as: UTF8.self), now: now, expiresAt: expiresAt)
    new.sealed = kept.sealed
    new.fallback = request.fallback?.unless
    new.inboxSeconds = request.inboxSeconds
    return new
  }
}
