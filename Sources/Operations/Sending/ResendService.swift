package import Domain
package import JSON
package import Postgres
internal import Store
package import Time

/// Resends a message to those of its devices for which it failed, or which have not confirmed its receipt or reading.
/// The resend is a new message with its own number (SDKs drop repeated ones) and the same content. Its audience comes
/// from the original's outcomes, with the devices' current bindings. Devices left out as late have no outcome, so
/// resending to failed ones then resolves the original audience again. The original's time and pace are not repeated,
/// but its daily send window still applies.
package enum ResendService {
  /// Resends a message.
  /// - Parameters:
  ///   - seqno: the message to resend; it must have ended.
  ///   - request: its body is `{"to":"failed"|"not-received"|"not-read","pace":{…}?}`; idempotency key and caller as
  ///     for a send.
  /// - Returns: the new message, or the approval request if a second person must approve it; for a repeated idempotency
  ///   key, the first answer.
  /// - Throws: `.wrongState` if the message has not ended; `.unknownMessage`; `.notKept` if its deliveries are no
  ///   longer stored; `.notConfigured` if its content cannot be decrypted here; otherwise as a send, for example
  ///   `.idempotencyConflict` or `.busy`.
  package static func resend(
    _ seqno: Seqno, _ request: SendRequest, on connection: Connection, catalog: Catalog? = nil, now: Timestamp
  ) throws(Problem) -> SendAnswer {
    try request.caller.require(.send)
    try IdempotencyKey.check(request.idempotencyKey)
    let options = try Options.object.read(body: request.body)
    try ReportService.requireHistory(of: seqno, for: request.caller, on: connection)
    guard let old = try connection.answer(Messages.find(seqno)) else {
      throw Problem(.unknownMessage, "There is no message \(seqno).")
    }
    let app = try connection.app(old.appID)
    // The number is part of the digest, because the same key for another message is a different request.
    let digest =
      request.consent.map { RequestDigest(stored: $0.requestSHA256) }
      // The body of a resend contains nothing confidential.
      ?? RequestDigest(Array("resend \(seqno) ".utf8) + request.body, isConfidential: false, seal: nil)
    if let key = request.idempotencyKey, let earlier = try SendService.earlier(app, key, digest, on: connection) {
      return earlier
    }
    if let waiting = try ApprovalService.earlier(request, app, digest, on: connection) { return .waiting(waiting) }
    guard old.state.isFinal else {
      throw ControlService.wrongState(
        "resend", seqno,
        MessageControl.Status(state: old.state, isCancelling: old.isCancelling, isFrozen: old.frozenAt != nil))
    }
    var message = try content(of: old, app, request.seal ?? catalog?.seal)
    let target = try widen(options.target, of: old, on: connection)
    let purpose = message.purpose
    if target != .unreached { message.audience = .deliveries(of: seqno, target) }
    message.pace = options.pace
    try SendQueue.checkRoom(in: message.lane, on: connection)
    let audience = try ResolvedAudience(message.audience, of: app.number, on: connection, now: now)
    let expiresAt = now + .seconds(message.expiresInSeconds)
    let plan = try HostingPlan(
      message, audience, app, request.hosting, on: connection, now: now, lastDueAt: now, expiresAt: expiresAt)
    if let waiting = try ApprovalService.hold(
      request, try StoredRequest(request.body, isConfidential: false, of: app.number, seal: nil), digest, app, audience,
      resendOf: seqno, on: connection, now: now)
    {
      return .waiting(waiting)
    }
    // With local times, some zones have already received the message; how many devices are left is known only when they
    // are planned.
    let targeted = target == .unreached && old.localTime != nil ? nil : audience.targeted
    var new = Messages.New(
      app: app.number, lane: message.lane, request: String(decoding: old.request, as: UTF8.self),
      requestSHA256: digest.stored,
      idempotencyKey: request.idempotencyKey, apiKey: request.caller.apiKey, targeted: targeted,
      unknownEntries: String(decoding: audience.unknownJSON, as: UTF8.self), keepsHistory: message.dbIn, now: now,
      expiresAt: expiresAt)
    new.sealed = old.sealed
    new.purpose = purpose
    new.inboxSeconds = message.inboxSeconds
    new.links = plan.links
    new.resend = Messages.Resend(of: seqno, to: target)
    if let made = try SendService.create(new, message, plan, by: request, on: connection) {
      return .accepted(
        SendAnswer.Accepted(
          seqno: made, targeted: targeted, unknown: audience.unknownJSON, resendOf: seqno))
    }
    return try SendService.notStored(request, app, digest, on: connection)
  }

  /// Returns the original message's request, including its content.
  private static func content(
    of old: Messages.Open, _ app: App, _ seal: ContentSeal?
  ) throws(Problem) -> MessageRequest {
    if let seal { return try seal.request(old.request, sealed: old.sealed, of: app.number) }
    let message = try MessageRequest(stored: old.request)
    guard !message.isContentSealed else { throw StoredRequest.noSeal }
    return message
  }

  /// Returns `.unreached` for a resend to failed devices if some were left out as late, because those have no outcome.
  /// Returns any other target unchanged, and also `.failed` if the message was cancelled or is itself a resend.
  private static func widen(
    _ target: ResendTarget, of old: Messages.Open, on connection: Connection
  ) throws(Problem) -> ResendTarget {
    // For a cancelled message, late and cancelled devices cannot be told apart.
    guard target == .failed, old.state != .cancelled, old.resend == nil,
      try connection.answer(Resends.hasLeftOut(old.seqno))
    else { return target }
    return .unreached
  }

  /// Body of a resend: the devices to resend to, and the pace.
  package struct Options: Sendable {
    package var target = ResendTarget.failed
    package var pace: Pace?

    package static let object = JSONObject(
      "Resend", from: Options(),
      [
        .required(
          "to", .resendTarget, \.target, "Which of its devices.",
          missing: "is needed: failed, not-received or not-read"), .given("pace", .pace, \.pace),
      ])
  }
}
