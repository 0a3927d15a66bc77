internal import Domain
internal import Time

/// Decision table: what happens to a delivery after a submission. A pure function of its arguments. `attempts` is the
/// number of tries to record with the delivery; `wasUnknown` is true if the network has possibly processed the push, so
/// that the next submission counts as a resend.
enum DeliveryDecision: Equatable {
  /// The push has ended, and with it the delivery, unless the device has further tokens to send to.
  case final(OutcomeStatus, reason: String?)
  /// Retry soon; the retry is kept in memory.
  case again(afterMilliseconds: Int64, attempts: Tries, wasUnknown: Bool)
  /// Retry later; the deferral is written to the database.
  case deferred(dueAt: Timestamp, attempts: Tries, reason: String, wasUnknown: Bool = false)
  /// The app's credential is at fault: defer the delivery and pause the app.
  case paused(dueAt: Timestamp, attempts: Tries, reason: String)
  /// The app has no credential for this network: like `paused`, but if the app has a credential for another network,
  /// the delivery is skipped and the app not paused.
  case withoutCredential(dueAt: Timestamp, attempts: Tries, reason: String)

  /// The reason of deliveries that are deferred without having been processed.
  static let notProcessed = "NotProcessed"

  /// Decides what becomes of a delivery after a submission.
  /// - Parameters:
  ///   - attempts: tries before this submission, without those that were certainly not processed.
  ///   - jitter: random number in 0…1, which spreads retries after long delays; drawn only for those.
  ///   - pause: delay in milliseconds before resubmitting a delivery that was not processed or was stale.
  ///   - deferral: delay by which a delivery that was not processed is deferred instead; nil to keep it in memory.
  ///   - isStopping: true if the node is stopping, so that nothing may wait in memory.
  static func of(
    _ result: SubmissionResult, attempts: Tries, message: PushMessage, now: Timestamp,
    jitter: @autoclosure () -> Double, pause: Int64, deferral: Duration? = nil, isStopping: Bool
  ) -> DeliveryDecision {
    switch result {
    case .accepted: return .final(.accepted, reason: nil)
    case .rejected(let reason), .badToken(let reason, _): return .final(.rejected, reason: reason)
    case .notProcessed:
      guard let deferral, !isStopping else { return soon(pause, attempts, now, isStopping, reason: notProcessed) }
      let due = min(now + deferral, Timestamp(seconds: message.expiresAtSeconds))
      return .deferred(dueAt: due, attempts: attempts, reason: notProcessed)
    case .stale: return soon(pause, attempts, now, isStopping, reason: notProcessed)
    case .credentialFault(let reason), .wrongEnvironment(let reason):
      let due = now + .seconds(Limits.credentialFaultSeconds)
      return due.seconds >= message.expiresAtSeconds
        ? .final(.expired, reason: reason) : .paused(dueAt: due, attempts: attempts, reason: reason)
    case .noCredential(let reason):
      let due = now + .seconds(Limits.credentialFaultSeconds)
      return due.seconds >= message.expiresAtSeconds
        ? .final(.expired, reason: reason) : .withoutCredential(dueAt: due, attempts: attempts, reason: reason)
    case .unknown(let reason):
      if message.onUnknown == .skip { return .final(.skipped, reason: SkipReason.unknownNotResent.rawValue) }
      return later(
        reason, planned(attempts, jitter()), attempts.next.inDoubt, message, now, isStopping, wasUnknown: true)
    case .retry(let reason, let after):
      // The longer of the network's delay and ours applies.
      let delay = max(planned(attempts, jitter()), min(Int64(after ?? 0), Limits.longestWaitSeconds))
      return later(reason, delay, attempts.next, message, now, isStopping, wasUnknown: false)
    // The delay already includes the device's own back-off.
    case .deviceBusy(let reason, let after):
      return later(
        reason, min(Int64(after ?? 0), Limits.longestWaitSeconds), attempts.next, message, now, isStopping,
        wasUnknown: false)
    }
  }

  private static func soon(
    _ milliseconds: Int64, _ attempts: Tries, _ now: Timestamp, _ isStopping: Bool, reason: String
  ) -> DeliveryDecision {
    isStopping
      ? .deferred(dueAt: now, attempts: attempts, reason: reason)
      : .again(afterMilliseconds: milliseconds, attempts: attempts, wasUnknown: false)
  }

  private static func planned(_ attempts: Tries, _ jitter: Double) -> Int64 {
    RetryPolicy.delaySeconds(attempts: Int(attempts.count) + 1, jitter: jitter)
  }

  private static func later(
    _ reason: String, _ delay: Int64, _ attempts: Tries, _ message: PushMessage, _ now: Timestamp, _ isStopping: Bool,
    wasUnknown: Bool
  ) -> DeliveryDecision {
    let due = now + .seconds(delay)
    if due.seconds >= message.expiresAtSeconds { return .final(.expired, reason: reason) }
    if delay <= RetryPolicy.longestInMemorySeconds, !isStopping {
      return .again(afterMilliseconds: delay * 1000, attempts: attempts, wasUnknown: wasUnknown)
    }
    return .deferred(dueAt: due, attempts: attempts, reason: reason, wasUnknown: wasUnknown)
  }
}
