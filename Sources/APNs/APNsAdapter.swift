internal import Domain
internal import HTTP2
internal import Logging
internal import PushTransport
internal import Reactor
internal import TLS
internal import Time

/// The APNs-specific part of a pool: provider tokens, certificates, and the meaning of each error.
final class APNsAdapter: PushNetworkAdapter {
  let credential: APNsCredential
  private let environment: PushEnvironment
  private let needToken: (_ key: KeyName, _ refused: ProviderToken?) -> Void
  private let composer = Composer()
  /// The provider tokens of the pool; unused with a certificate.
  private var token: TokenInUse
  /// The connection that last received TooManyProviderTokenUpdates, and the time of the answer.
  private var throttled: (connection: Int, at: Instant)?
  /// The seconds by which the peer's clock is ahead of ours; nil before the first answer that carries its time.
  private var clockSkewSeconds: Int64?
  /// Returns the current time, in seconds since 1970.
  private let now: () -> Int64

  /// Creates the adapter of one sender.
  /// - Parameters:
  ///   - needToken: requests a provider token; it limits itself to one request every few seconds.
  ///   - now: returns seconds since 1970.
  init(
    _ credential: APNsCredential, environment: PushEnvironment, token: ProviderToken?, now: @escaping () -> Int64,
    needToken: @escaping (_ key: KeyName, _ refused: ProviderToken?) -> Void
  ) {
    self.credential = credential
    self.environment = environment
    self.token = TokenInUse(token)
    self.now = now
    self.needToken = needToken
  }

  var name: String { CredentialKey(credential).name }

  /// Replaces the provider token for all further requests, on open connections too.
  func set(_ next: ProviderToken, of pool: Pool) {
    guard case .token(let key) = credential, next.key == key, token.replace(with: next) else { return }
    pool.forgetTemplates()
    pool.work()
  }

  // MARK: Requests

  /// Returns `Int.max` with a certificate or a valid provider token. Without a valid token, requests one and returns 0.
  func allowance(_ lane: Lane, of pool: Pool) -> Int {
    guard case .token(let key) = credential else { return .max }
    let now = pool.wallSeconds
    let isGood = token.isGood(atSeconds: now)
    if !isGood || token.present?.isDue(atSeconds: now) == true {
      needToken(key, isGood ? nil : token.refused)
    }
    return isGood ? .max : 0
  }

  func submitted(_ count: Int) {}

  func objection(to batch: PushBatch) -> BatchObjection? {
    guard case .certificate(let identity) = credential,
      let objection = identity.certificate.objection(
        topic: batch.message.headers.topic, environment: environment, now: now())
    else { return nil }
    let word = String(objection.prefix { $0 != ":" })
    if APNsReason(rawValue: word)?.action == .otherEnvironment { return .wrongEnvironment(reason: word) }
    return .fault(reason: objection)
  }

  func compose(_ target: PushTarget, of message: PushMessage, into encoded: inout EncodedPush) -> String? {
    composer.compose(target, of: message, into: &encoded)
    return encoded.body.count <= message.template.limitBytes ? nil : APNsReason.payloadTooLarge.rawValue
  }

  func template(for message: PushMessage, authority: String) -> RequestTemplate {
    Composer.template(message, authority: authority, token: token.present)
  }

  // MARK: Answers

  /// Returns true for 4xx except 410 and 429: Apple throttles and disconnects clients that cause many of them.
  func isHeldAgainstConnection(_ refusal: Refusal) -> Bool {
    refusal.status < 500 && refusal.status != 410 && refusal.status != 429
  }

  func word(for refusal: Refusal) -> String {
    APNsAnswer(status: refusal.status, body: refusal.body).reason?.rawValue ?? "other"
  }

  func refused(_ submission: Submission, _ refusal: Refusal, on connection: Connection, of pool: Pool) {
    let answer = APNsAnswer(status: refusal.status, body: refusal.body, retryAfter: refusal.retryAfter)
    let reason = answer.shownReason
    let later = SubmissionResult.retry(reason: reason, after: answer.retryAfter)
    switch answer.action {
    case .refuseMessage: pool.finish(submission, .rejected(reason: reason))
    case .refuseToken: pool.finish(submission, .badToken(reason: reason, since: nil))
    case .retireToken: pool.finish(submission, .badToken(reason: reason, since: answer.timestamp))
    case .retryDevice: pool.finish(submission, .deviceBusy(reason: reason, after: answer.retryAfter))
    case .retryLater: pool.finish(submission, later)
    case .retryOnNewConnection:
      pool.log(.info, "connection refused by its answer", connection, reason)
      pool.sendAgain(submission, otherwise: later)
      connection.retire()
    case .renewProviderToken: renewToken(submission, answer, on: connection, of: pool)
    case .keepProviderToken: keepToken(submission, otherwise: later, reason, on: connection, of: pool)
    case .retryOnceThenPause where !submission.hadSecondChance:
      // APNs binds team and topics to a connection at its first push, so a new connection may accept this one.
      if pool.isShared { pool.isolate(submission.batch.condition) } else { connection.retire() }
      giveSecondChance(submission, otherwise: .credentialFault(reason: reason), of: pool)
    case .otherEnvironment:
      pool.finish(submission, .wrongEnvironment(reason: reason))
      // All other pushes would get the same answer: return them, so that the dispatcher tries the other environment.
      // But if this environment has accepted the credential before, the answer is a mistake that concerns only this
      // push.
      if !pool.hasAccepted { pool.finishQueued(.wrongEnvironment(reason: reason)) }
    case .retryOnceThenPause, .pauseApp: pool.pause(submission, reason + clockRemark, on: connection)
    }
  }

  /// Handles an answer that the provider token is too old. Retires the connection, because APNs does not accept another
  /// token on it.
  private func renewToken(
    _ submission: Submission, _ answer: APNsAnswer, on connection: Connection, of pool: Pool
  ) {
    guard let present = token.present, !submission.hadSecondChance else {
      return pool.pause(submission, answer.shownReason + clockRemark, on: connection)
    }
    let age = pool.wallSeconds - present.issuedAt
    guard token.refused != nil || age >= APNs.Limits.tokenRestSeconds else {
      // The token is too young to be replaced, so a wrong clock must be the cause.
      let remark = clockRemark.isEmpty ? "; check this machine's clock" : clockRemark
      return pool.pause(submission, "\(answer.shownReason) for a token \(age) s old\(remark)", on: connection)
    }
    token.refused = present
    giveSecondChance(submission, otherwise: .notProcessed, of: pool)
    connection.retire()
    needToken(present.key, present)
  }

  /// Resends the submission unless it was resent for such a reason before. Counted separately from resends of refused
  /// streams, because a token that has just expired causes both at once.
  private func giveSecondChance(_ submission: Submission, otherwise result: SubmissionResult, of pool: Pool) {
    var submission = submission
    submission.hadSecondChance = true
    pool.sendAgain(submission, otherwise: result)
  }

  /// Handles TooManyProviderTokenUpdates, which APNs counts per connection: retires the connection and returns to the
  /// previous token. If a second connection gets the same answer within `tokenThrottleSeconds`, pauses the pool.
  private func keepToken(
    _ submission: Submission, otherwise later: SubmissionResult, _ reason: String, on connection: Connection,
    of pool: Pool
  ) {
    pool.log(.error, "provider token changed too often", connection, reason)
    if token.fallBack(atSeconds: pool.wallSeconds) { pool.forgetTemplates() }
    let now = pool.loop.clock.now
    let period = Duration.seconds(APNs.Limits.tokenThrottleSeconds)
    let former = throttled
    throttled = (connection.number, now)
    if let former, former.connection != connection.number, now - former.at < period {
      pool.finish(submission, later)
      // Pause before retiring the connection, so that it is not replaced at once.
      pool.rest(for: period, .notProcessed)
    } else {
      pool.sendAgain(submission, otherwise: later)
    }
    connection.retire()
  }

  func received(_ goAway: GoAway, on connection: Connection, of pool: Pool) {
    let text = APNsAnswer.reason(in: goAway.debugData)
    let shown = text.isEmpty ? String(decoding: goAway.debugData.prefix(200), as: UTF8.self) : text
    pool.log(.notice, "GOAWAY", connection, "\(goAway.errorCode) \(shown)")
    // For a bad certificate, APNs may send a GOAWAY instead of an answer.
    switch APNsReason(rawValue: text)?.action {
    case .pauseApp: pool.failAll(text)
    case .otherEnvironment: pool.finishQueued(.wrongEnvironment(reason: text))
    default: break
    }
  }

  func closedBeforeReady(reason: String, of pool: Pool) {
    guard case .certificate = credential, Self.isAboutCertificate(reason) else { return }
    // The peer has refused the certificate with a TLS alert, before any request was sent.
    pool.failAll("BadCertificate: the server refused the push certificate (\(reason))")
  }

  /// Returns true if the peer's TLS alert concerns our certificate (RFC 8446 §6.2). Other alerts, from a TLS-inspecting
  /// proxy for example, do not indicate a bad credential.
  static func isAboutCertificate(_ reason: String) -> Bool {
    guard let alert = reason.firstRange(of: " alert ") else { return false }
    return certificateAlerts.contains { reason[alert.upperBound...].hasPrefix($0) }
  }

  private static let certificateAlerts = [
    "bad certificate", "unsupported certificate", "certificate revoked", "certificate expired", "certificate unknown",
    "certificate required", "unknown ca",
  ]

  // MARK: Clocks

  func heard(peerSeconds: Int64, of pool: Pool) {
    let skew = peerSeconds - pool.wallSeconds
    let wasWrong = isClockWrong
    clockSkewSeconds = skew
    guard isClockWrong, !wasWrong else { return }
    pool.logger.error(
      "this machine's clock is wrong: provider tokens will be refused; set it by NTP",
      metadata: ["credential": "\(name)", "environment": "\(environment.name)", "secondsBehind": "\(skew)"])
  }

  private var isClockWrong: Bool {
    clockSkewSeconds.map { abs($0) >= APNs.Limits.clockSkewSeconds } ?? false
  }

  /// The text to append to an error if the two clocks differ.
  private var clockRemark: String {
    guard isClockWrong, let skew = clockSkewSeconds else { return "" }
    return "; this machine's clock is \(abs(skew)) s \(skew > 0 ? "behind" : "ahead of") Apple's, set it by NTP"
  }
}
