internal import Domain
internal import HTTP2
internal import Logging
internal import Reactor

/// What each ending means for a target, its connection, its route and the whole pool.
extension Pool {
  func answered(_ lane: Lane, after time: Duration) {
    owner.meter.answered(lane, after: time)
  }

  func ended(_ submission: Submission, _ ending: Ending, on connection: Connection) {
    let standing = submission.batch.standing
    standing.inFlight -= 1
    owner.meter.ended(ending, wallSeconds: owner.wallSeconds)
    switch ending {
    case .accepted:
      standing.answered(isError: false)
      finish(submission, .accepted)
    case .refused(let answer):
      standing.answered(isError: answer.status < 500 && answer.status != 410 && answer.status != 429)
      refused(submission, answer, on: connection)
      if standing.isErroneous { isolate(standing) }
    case .notProcessed: owner.sendAgain(submission, otherwise: .notProcessed)
    case .unknown(let reason): finish(submission, .unknown(reason: reason))
    }
  }

  private func finish(_ submission: Submission, _ result: SubmissionResult) {
    owner.outbox.finish(submission, result)
  }

  private func refused(_ submission: Submission, _ answer: APNsAnswer, on connection: Connection) {
    let reason = answer.shownReason
    let later = SubmissionResult.retry(reason: reason, after: answer.retryAfter)
    switch answer.action {
    case .refuseMessage: finish(submission, .rejected(reason: reason))
    case .refuseToken: finish(submission, .badToken(reason: reason, since: nil))
    case .retireToken: finish(submission, .badToken(reason: reason, since: answer.timestamp))
    case .retryDevice: finish(submission, .deviceBusy(reason: reason, after: answer.retryAfter))
    case .retryLater: finish(submission, later)
    case .retryOnNewConnection:
      log(.info, "connection refused by its answer", connection, reason)
      owner.sendAgain(submission, otherwise: later)
      connection.retire()
    case .renewProviderToken: renewToken(submission, answer, on: connection)
    case .keepProviderToken: keepToken(submission, otherwise: later, reason, on: connection)
    case .retryOnceThenPause where submission.resends == 0:
      // Team and topics are bound to a connection at its first push: a new one may know better.
      if isShared { isolate(submission.batch.standing) } else { connection.retire() }
      owner.sendAgain(submission, otherwise: .credentialFault(reason: reason))
    case .otherEnvironment:
      // The same would be said of everyone else: let the dispatcher ask the other host for all of them.
      finish(submission, .wrongEnvironment(reason: reason))
      giveBackQueues(.wrongEnvironment(reason: reason))
    case .retryOnceThenPause, .pauseApp: pause(submission, reason + clockRemark, on: connection)
    }
  }

  /// APNs calls our provider token too old. The connection stays stuck with it, so it goes.
  private func renewToken(_ submission: Submission, _ answer: APNsAnswer, on connection: Connection) {
    guard let present = token.present, submission.resends == 0 else {
      return pause(submission, answer.shownReason + clockRemark, on: connection)
    }
    let age = owner.wallSeconds - present.issuedAt
    guard token.refused != nil || age >= APNs.Limits.tokenRestSeconds else {
      // Younger than any token may be replaced: not the token is wrong but a clock.
      let remark = clockRemark.isEmpty ? "; check this machine's clock" : clockRemark
      return pause(submission, "\(answer.shownReason) for a token \(age) s old\(remark)", on: connection)
    }
    token.refused = present
    owner.sendAgain(submission, otherwise: .notProcessed)
    connection.retire()
    owner.needToken(teamID: present.teamID, keyID: present.keyID, refused: present)
  }

  /// Tokens changed too often, by the word of the documentation: on this connection. It goes, and others go on with the
  /// token before; should one of those be told the same, it is more than a connection, and all of them rest.
  private func keepToken(
    _ submission: Submission, otherwise later: SubmissionResult, _ reason: String, on connection: Connection
  ) {
    log(.error, "provider token changed too often", connection, reason)
    token.fallBack(atSeconds: owner.wallSeconds)
    let now = loop.clock.now
    let period = Duration.seconds(APNs.Limits.tokenThrottleSeconds)
    let former = throttled
    throttled = (connection.number, now)
    if let former, former.connection != connection.number, now - former.at < period {
      finish(submission, later)
      // Before the connection goes: no other is to be made in its place.
      rest(for: period, .notProcessed)
    } else {
      owner.sendAgain(submission, otherwise: later)
    }
    connection.retire()
  }

  /// Nothing of this route can be sent until an operator mends its settings. The others go on, on connections that its
  /// refusals do not reach.
  private func pause(_ submission: Submission, _ reason: String, on connection: Connection) {
    log(.error, "credential refused", connection, reason)
    finish(submission, .credentialFault(reason: reason))
    guard let queue = queue(of: submission.batch.standing.route) else { return }
    fail(queue, reason)
    isolate(queue.standing)
  }

  private var isShared: Bool { queues.count > 1 }

  /// Takes a route out of the common pool, for good: until its credential changes.
  private func isolate(_ standing: RouteStanding) {
    guard isShared, !standing.isIsolated else { return }
    owner.isolate(standing.route)
  }

  func received(_ goAway: GoAway, on connection: Connection) {
    let text = APNsAnswer.reason(in: goAway.debugData)
    let shown = text.isEmpty ? String(decoding: goAway.debugData.prefix(200), as: UTF8.self) : text
    log(.notice, "GOAWAY", connection, "\(goAway.errorCode) \(shown)")
    // A bad certificate is said goodbye to instead of being answered.
    switch APNsReason(rawValue: text)?.action {
    case .pauseApp: for queue in queues { fail(queue, text) }
    case .otherEnvironment: giveBackQueues(.wrongEnvironment(reason: text))
    default: break
    }
  }

  // MARK: Clocks

  func heard(peerSeconds: Int64) {
    let skew = peerSeconds - owner.wallSeconds
    let wasWrong = isClockWrong
    clockSkewSeconds = skew
    guard isClockWrong, !wasWrong else { return }
    configuration.logger.error(
      "this machine's clock is wrong: provider tokens will be refused; set it by NTP",
      metadata: ["endpoint": "\(settings.endpoint.authority)", "secondsBehind": "\(skew)"])
  }

  private var isClockWrong: Bool {
    clockSkewSeconds.map { abs($0) >= APNs.Limits.clockSkewSeconds } ?? false
  }

  /// What to add to a refusal when the clocks differ.
  private var clockRemark: String {
    guard isClockWrong, let skew = clockSkewSeconds else { return "" }
    return "; this machine's clock is \(abs(skew)) s \(skew > 0 ? "behind" : "ahead of") Apple's, set it by NTP"
  }
}
