internal import Domain
internal import HTTP2
internal import Logging
internal import PushTransport
internal import Reactor
internal import TLS

/// Apple's rules for a pool: provider tokens, certificates, and what each reason means.
final class APNsAdapter: PushNetworkAdapter {
  let credential: APNsCredential
  private let environment: PushEnvironment
  private let needToken: (_ key: KeyName, _ refused: ProviderToken?) -> Void
  private let composer = Composer()
  /// Unused with certificates.
  private var token: TokenInUse
  /// The connection that last got TooManyProviderTokenUpdates, and when.
  private var throttled: (connection: Int, at: Instant)?
  /// How far the peer's clock is ahead of ours, as last heard.
  private var clockSkewSeconds: Int64?
  /// Seconds since 1970; read for each batch with a certificate.
  private let now: () -> Int64

  /// - Parameters:
  ///   - needToken: requests a provider token; limits its own rate to one request every few seconds.
  ///   - now: seconds since 1970.
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

  /// Sets the token for the next requests, on open connections too.
  func set(_ next: ProviderToken, of pool: Pool) {
    guard case .token(let key) = credential, next.key == key, token.replace(with: next) else { return }
    pool.forgetTemplates()
    pool.work()
  }

  // MARK: Requests

  /// Unlimited with a certificate or a valid provider token. Without a valid token it requests one and allows nothing.
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

  func objection(to batch: PushBatch) -> DoorObjection? {
    guard case .certificate(let identity) = credential,
      let objection = identity.certificate.objection(
        topic: batch.message.headers.topic, environment: environment, now: now())
    else { return nil }
    let word = String(objection.prefix { $0 != ":" })
    if APNsReason(rawValue: word)?.action == .otherEnvironment { return .wrongEnvironment(reason: word) }
    return .fault(reason: objection)
  }

  func compose(_ target: PushTarget, of message: PushMessage, into letter: inout EncodedPush) -> String? {
    composer.compose(target, of: message, into: &letter)
    return letter.body.count <= message.template.limitBytes ? nil : APNsReason.payloadTooLarge.rawValue
  }

  func template(for message: PushMessage, authority: String) -> RequestTemplate {
    Composer.template(message, authority: authority, token: token.present)
  }

  // MARK: Answers

  /// 4xx other than 410 and 429: Apple throttles and disconnects clients that cause many of them.
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
      // Team and topics are bound to a connection at its first push: a new connection may accept it.
      if pool.isShared { pool.isolate(submission.batch.standing) } else { connection.retire() }
      giveSecondChance(submission, otherwise: .credentialFault(reason: reason), of: pool)
    case .otherEnvironment:
      pool.finish(submission, .wrongEnvironment(reason: reason))
      // All others would get the same answer: let the dispatcher ask the other host for all of them. But if this
      // environment has accepted the credential before, the answer is a mistake and costs only this submission.
      if !pool.hasAccepted { pool.giveBackQueues(.wrongEnvironment(reason: reason)) }
    case .retryOnceThenPause, .pauseApp: pool.pause(submission, reason + clockRemark, on: connection)
    }
  }

  /// APNs calls our provider token too old. The connection stays stuck with that token, so retire it.
  private func renewToken(
    _ submission: Submission, _ answer: APNsAnswer, on connection: Connection, of pool: Pool
  ) {
    guard let present = token.present, !submission.hadSecondChance else {
      return pool.pause(submission, answer.shownReason + clockRemark, on: connection)
    }
    let age = pool.wallSeconds - present.issuedAt
    guard token.refused != nil || age >= APNs.Limits.tokenRestSeconds else {
      // Younger than any token may be replaced: a clock is wrong, not the token.
      let remark = clockRemark.isEmpty ? "; check this machine's clock" : clockRemark
      return pool.pause(submission, "\(answer.shownReason) for a token \(age) s old\(remark)", on: connection)
    }
    token.refused = present
    giveSecondChance(submission, otherwise: .notProcessed, of: pool)
    connection.retire()
    needToken(present.key, present)
  }

  /// One second chance per submission, however often its streams were refused before: a token that has just expired
  /// causes both at once.
  private func giveSecondChance(_ submission: Submission, otherwise result: SubmissionResult, of pool: Pool) {
    var submission = submission
    submission.hadSecondChance = true
    pool.sendAgain(submission, otherwise: result)
  }

  /// Provider tokens changed too often on this connection, as the documentation defines it. Retires the connection and
  /// continues with the former token. If a second connection gets the same answer, more than one connection is
  /// affected, and the pool rests.
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
      // Before the connection retires, so that no other is opened in its place.
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
    // A bad certificate may get a GOAWAY instead of an answer.
    switch APNsReason(rawValue: text)?.action {
    case .pauseApp: pool.failAll(text)
    case .otherEnvironment: pool.giveBackQueues(.wrongEnvironment(reason: text))
    default: break
    }
  }

  func closedBeforeReady(reason: String, of pool: Pool) {
    guard case .certificate = credential, Self.isAboutCertificate(reason) else { return }
    // The peer says so by a TLS alert: nothing has been sent yet.
    pool.failAll("BadCertificate: the server refused the push certificate (\(reason))")
  }

  /// True if the peer's alert concerns our certificate (RFC 8446 §6.2). Other alerts, of a TLS-inspecting proxy for
  /// example, are no credential's fault.
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

  /// Appended to a refusal if the clocks differ.
  private var clockRemark: String {
    guard isClockWrong, let skew = clockSkewSeconds else { return "" }
    return "; this machine's clock is \(abs(skew)) s \(skew > 0 ? "behind" : "ahead of") Apple's, set it by NTP"
  }
}
