internal import Domain
internal import HTTP2
internal import Logging
internal import PlainText
internal import PushTransport
internal import Reactor
internal import Time

/// The FCM-specific part of a pool: access tokens, the project's rate limit, and the meaning of each error.
final class FCMAdapter: PushNetworkAdapter {
  let account: AccountInUse
  private var project: Project { account.project }
  private let composer: Composer
  private let loop: EventLoop
  private var restsUntil: Instant?
  /// True if a check of the rate limiter is scheduled.
  private var isWaiting = false
  private var boundTargets = 0

  init(_ account: AccountInUse, style: FCMStyle, validatesOnly: Bool, loop: EventLoop) {
    self.account = account
    self.loop = loop
    composer = Composer(project: account.tokens.account.projectID, style: style, validatesOnly: validatesOnly)
  }

  var name: String { "\(account.tokens.account.email) of \(account.tokens.account.projectID)" }

  private var wallSeconds: Int64 { loop.clock.wallTime.seconds }

  // MARK: Requests

  func allowance(_ lane: Lane, of pool: Pool) -> Int {
    guard account.tokens.present() != nil else { return 0 }
    let allowance = project.allowance(lane)
    bound(pool)
    if allowance == 0 { lookAgain(pool) }
    return allowance
  }

  var restingLanes: Set<Lane> { project.restingLanes }

  func submitted(_ count: Int) {
    project.submitted(count)
  }

  /// Limits each lane's queue to what can be sent while the device tokens are fresh.
  private func bound(_ pool: Pool) {
    let targets = project.queuedTargets
    // Ignore small changes, which are not worth taking the lock.
    guard abs(targets - boundTargets) * 16 > boundTargets else { return }
    boundTargets = targets
    pool.bound(to: targets)
  }

  private func lookAgain(_ pool: Pool) {
    guard !isWaiting else { return }
    isWaiting = true
    loop.schedule(after: .nanoseconds(Int64(FCM.Limits.paceSeconds * 1e9))) { [weak self, weak pool] in
      self?.isWaiting = false
      pool?.work()
    }
  }

  func objection(to batch: PushBatch) -> BatchObjection? {
    account.tokens.fault.map { .fault(reason: $0) }
  }

  func compose(_ target: PushTarget, of message: PushMessage, into encoded: inout EncodedPush) -> String? {
    composer.compose(target, of: message, now: wallSeconds, into: &encoded)
  }

  func template(for message: PushMessage, authority: String) -> RequestTemplate {
    Composer.template(authority: authority, accessToken: account.tokens.present())
  }

  // MARK: Access tokens

  func tokenChanged(_ change: AccessTokens.Change, of pool: Pool) {
    switch change {
    case .present:
      pool.forgetTemplates()
      pool.work()
    case .delayed(let wait):
      // Nothing can be sent before the next attempt; queued targets would only become stale.
      rest(pool, for: wait)
    case .refused(let reason):
      pool.failAll(reason)
    }
  }

  // MARK: Answers

  /// Returns false, because Google's front ends do not count errors against a connection.
  func isHeldAgainstConnection(_ refusal: Refusal) -> Bool { false }

  func word(for refusal: Refusal) -> String {
    FCMAnswer(status: refusal.status, body: refusal.body).documentedWord
  }

  func refused(_ submission: Submission, _ refusal: Refusal, on connection: Connection, of pool: Pool) {
    let answer = FCMAnswer(status: refusal.status, body: refusal.body, retryAfter: refusal.retryAfter)
    let reason = answer.shownReason
    switch answer.action {
    case .refuseMessage: pool.finish(submission, .rejected(reason: reason))
    case .refuseRegistration, .retireRegistration: pool.finish(submission, .badToken(reason: reason, since: nil))
    case .retryDevice: pool.finish(submission, .deviceBusy(reason: reason, after: answer.retryAfter))
    case .retryLater: pool.finish(submission, .retry(reason: reason, after: answer.retryAfter))
    case .retryPaced:
      let wait = min(answer.retryAfter ?? FCM.Limits.quotaRestSeconds, FCM.Limits.longestRestSeconds)
      pool.finish(submission, .retry(reason: reason, after: wait))
      slowDown(pool, submission.batch.message.lane, seconds: wait)
    case .renewAccessToken:
      guard account.tokens.refused() else {
        return pool.pause(
          submission, "\(reason): \(answer.message.beginning(bytes: FCM.Limits.shownBytes))", on: connection)
      }
      // The push is not at fault, and a new access token is being fetched.
      pool.sendAgain(submission, otherwise: .retry(reason: reason, after: nil))
    case .pauseForApple:
      pool.log(.error, "the APNs key in the Firebase project is refused by Apple", connection, reason)
      pool.finish(submission, .credentialFault(reason: reason))
    case .pauseApp: pool.pause(submission, reason, on: connection)
    }
  }

  /// Pauses the project except for a small number of urgent messages. Refused pushes are retried after the time that
  /// Google asks for.
  private func slowDown(_ pool: Pool, _ lane: Lane, seconds: Int) {
    guard project.exceeded(lane, seconds: max(1, seconds)) else { return }
    pool.logger.warning(
      "the project's quota of messages is used up: sending rests, then goes on more slowly",
      metadata: [
        "credential": "\(name)", "lane": "\(lane)", "seconds": .stringConvertible(seconds),
        "perSecond": "\(project.perSecond)",
      ])
  }

  private func rest(_ pool: Pool, for wait: Duration) {
    let until = loop.clock.now + wait
    if let restsUntil, until <= restsUntil { return }
    restsUntil = until
    pool.rest(for: wait, .notProcessed)
  }

  func received(_ goAway: GoAway, on connection: Connection, of pool: Pool) {
    let text = String(decoding: goAway.debugData.prefix(200), as: UTF8.self)
    // Google closes idle connections this way many times a day.
    pool.log(.debug, "GOAWAY", connection, "\(goAway.errorCode) \(text)")
  }

  func heard(peerSeconds: Int64, of pool: Pool) {}

  func closedBeforeReady(reason: String, of pool: Pool) {}
}
