internal import Domain
internal import HTTP2
internal import Logging

/// What each ending means for a target, its connection and the whole route.
extension Pool {
  func ended(_ submission: Submission, _ ending: Ending, on connection: Connection) {
    switch ending {
    case .accepted: finish(submission, .accepted)
    case .refused(let answer): refused(submission, answer, on: connection)
    case .notProcessed: sendAgain(submission, otherwise: .notProcessed)
    case .unknown(let reason): finish(submission, .unknown(reason: reason))
    }
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
      sendAgain(submission, otherwise: later)
      connection.retire()
    case .renewProviderToken: renewToken(submission, answer, on: connection)
    case .keepProviderToken:
      log(.error, "provider token changed too often", connection, reason)
      fallBackToFormerToken()
      finish(submission, later)
      rest(for: .seconds(APNs.Limits.tokenThrottleSeconds), .notProcessed)
      connection.retire()
    case .retryOnceThenPause where submission.resends == 0:
      // Team and topics are bound to a connection at its first push: a new one may know better.
      sendAgain(submission, otherwise: .credentialFault(reason: reason))
      connection.retire()
    case .otherEnvironment:
      // The same would be said of everyone else: let the dispatcher ask the other host for all of them.
      finish(submission, .wrongEnvironment(reason: reason))
      giveBackQueue(.wrongEnvironment(reason: reason))
    case .retryOnceThenPause, .pauseApp: pause(submission, reason, on: connection)
    }
  }

  /// APNs calls our provider token too old. The connection stays stuck with it, so it goes.
  private func renewToken(_ submission: Submission, _ answer: APNsAnswer, on connection: Connection) {
    guard let token, submission.resends == 0 else { return pause(submission, answer.shownReason, on: connection) }
    let age = sender.wallSeconds - token.issuedAt
    guard refusedToken != nil || age >= APNs.Limits.tokenRestSeconds else {
      // Younger than any token may be replaced: not the token is wrong but a clock.
      let reason = "\(answer.shownReason) for a token \(age) s old: check this machine's clock"
      return pause(submission, reason, on: connection)
    }
    refusedToken = token
    sendAgain(submission, otherwise: .notProcessed)
    connection.retire()
    sender.needToken(teamID: token.teamID, keyID: token.keyID, refused: token)
  }

  /// Nothing of this route can be sent until an operator mends its settings.
  private func pause(_ submission: Submission, _ reason: String, on connection: Connection) {
    log(.error, "credential or topic refused", connection, reason)
    finish(submission, .credentialFault(reason: reason))
    giveBackQueue(.credentialFault(reason: reason))
  }

  func received(_ goAway: GoAway, on connection: Connection) {
    let text = APNsAnswer.reason(in: goAway.debugData)
    let shown = text.isEmpty ? String(decoding: goAway.debugData.prefix(200), as: UTF8.self) : text
    log(.notice, "GOAWAY", connection, "\(goAway.errorCode) \(shown)")
    // A bad certificate is said goodbye to instead of being answered.
    switch APNsReason(rawValue: text)?.action {
    case .pauseApp: giveBackQueue(.credentialFault(reason: text))
    case .otherEnvironment: giveBackQueue(.wrongEnvironment(reason: text))
    default: break
    }
  }
}
