internal import Domain
internal import Logging
internal import Reactor
internal import Store
internal import Time

/// Handles what answers imply for devices and credentials, besides the outcome of the delivery.
extension Completer {
  /// Counts the answer for the circuit breaker and records the change to make to the device, if any. An accepted push
  /// also ends the device's back-off.
  func note(_ settled: TokenAssessment, _ flight: Flight, _ target: PushTarget) {
    let asked = flight.batch.route
    // The refusal being verified concerns the device's own environment, whichever environment has answered now.
    let route = flight.question.map { asked.in($0.environment) } ?? asked
    let delivery = Confirmations.Delivery(seqno: flight.message.seqno, device: target.device)
    let readAt = wallTime(ofMonotonic: flight.question?.readAtNanoseconds ?? flight.batch.readAtNanoseconds)
    switch settled.weight {
    case .none: break
    case .good: breaker.countGood(route)
    case .bad(let reason):
      breaker.countBad(route, AnswerWindow.Refusal(delivery: delivery, reason: reason, readAt: readAt))
    }
    if let kind = settled.finding {
      decisions.find(
        TokenFinding(
          kind: kind, route: route, delivery: delivery, psid: target.psid,
          tokenKind: flight.message.request.content.tokenKind, readAt: readAt))
    }
    if settled.result == .accepted { shared.backOffs.end(target.device) }
  }

  /// Schedules a resubmission that verifies a refusal: to the other environment at once, or, if that was already asked,
  /// to the device's own environment again after a second.
  func ask(_ refusal: String, _ flight: Flight, _ target: PushTarget, _ place: BlockPlace?, attempts: Tries) {
    let question =
      flight.question?.again
      ?? TokenQuestion(
        environment: flight.batch.route.environment, refusal: refusal,
        readAtNanoseconds: flight.batch.readAtNanoseconds)
    let waiting = WaitingTarget(
      device: target.device, userKey: target.userKey, attempts: attempts, place: place,
      done: target.further?.done ?? FurtherTokensDone(), doubt: TokenDoubt(psid: target.psid, question: question))
    tryAgain(
      flight.claim, flight.message, waiting,
      afterMilliseconds: question.isRepeated ? RetryPolicy.quickDelays[0] * 1000 : 0)
  }

  /// If the device was reported busy, records its back-off and returns the result with the resulting delay; returns any
  /// other result unchanged.
  func pacing(_ result: SubmissionResult, _ device: DeviceID) -> SubmissionResult {
    guard case .deviceBusy(let reason, let asked) = result else { return result }
    let wait = shared.backOffs.slow(device, at: shared.clock.now, asked: asked, jitter: Double.random(in: 0...1))
    return .deviceBusy(reason: reason, after: Int(wait.wholeSeconds))
  }

  /// Postpones the retry if its device is still backing off: in memory, or in the database if the wait is long or the
  /// node is stopping. If the message expires before the back-off ends, records the delivery as expired instead.
  /// Returns false, doing nothing, if the device is not backing off.
  func isHeldOff(_ retry: Retry, _ now: Instant) -> Bool {
    let wait = shared.backOffs.wait(retry.target.device, at: now).wholeSeconds
    guard wait > 0 else { return false }
    let (message, target) = (retry.message, retry.target)
    let dueAt = shared.clock.wallTime + .seconds(wait)
    if dueAt >= message.expiresAt {
      decide(retry.claim, message, target, .expired, reason: Self.busyReason)
    } else if wait <= RetryPolicy.longestInMemorySeconds, !shared.isStopping {
      tryAgain(retry.claim, message, target, afterMilliseconds: wait * 1000)
    } else {
      postpone(retry.claim, message, target, reason: Self.busyReason, dueAt: dueAt)
    }
    return true
  }

  private static let busyReason = "TooManyRequests"

  /// Records and logs a fault of an app's credential; does nothing if one of the same app is recorded but not written
  /// yet. The next transaction pauses the app, unless the credential is merely missing and the app has one for another
  /// network, or the app was resumed since the token was read, or a credential is stored that this node had not read
  /// when it submitted the push: then the delivery is submitted again, by a node that has read it.
  func fault(_ flight: Flight, _ reason: String, isMissing: Bool) {
    let route = flight.batch.route
    let fault = Decisions.Fault(
      network: route.network, reason: reason, readAt: wallTime(ofMonotonic: flight.batch.readAtNanoseconds),
      credentialsReadAt: wallTime(ofMonotonic: flight.credentialsReadAt.nanoseconds), isMissing: isMissing)
    guard decisions.fault(route.app, fault) else { return }
    log.error(
      "a push network does not take an app's credential",
      metadata: ["app": "\(flight.message.push.headers.topic)", "reason": "\(reason)"])
  }

  private func wallTime(ofMonotonic nanoseconds: Int64) -> Timestamp {
    shared.clock.wallTime - .nanoseconds(shared.clock.now.nanoseconds - nanoseconds)
  }
}

extension Duration {
  /// The duration in seconds, rounded up so that no wait is too short.
  fileprivate var wholeSeconds: Int64 { (nanoseconds + 999_999_999) / 1_000_000_000 }
}

extension CircuitBreaker {
  /// Applies what the transaction has decided about suspect routes: forgets the windows of cleared apps, and the
  /// refusals from before the app was resumed.
  mutating func took(_ maintenance: TokenMaintenance.Result) {
    for app in maintenance.cleared { clear(app) }
    for (route, resumedAt) in maintenance.forgiven { forget(route, before: resumedAt) }
  }
}
