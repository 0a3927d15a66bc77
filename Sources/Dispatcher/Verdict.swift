internal import Domain

/// What to do with a delivery after a submission. Pure: the table of the dispatcher's decisions.
enum Verdict: Equatable {
  /// It has ended.
  case final(OutcomeStatus, reason: String?)
  /// Try again soon; the wait is in memory.
  case again(afterMilliseconds: Int64, attempts: Int16, wasUnknown: Bool)
  /// Try again later; the wait is written down. `dueAt` in microseconds since 1970.
  case deferred(dueAt: Int64, attempts: Int16, reason: String)
  /// The app's credential is at fault: put it aside and hold the app back.
  case paused(dueAt: Int64, attempts: Int16, reason: String)

  /// - Parameters:
  ///   - attempts: tries before this one that the network answered or may have answered.
  ///   - now: microseconds since 1970.
  ///   - jitter: 0…1.
  ///   - isStopping: the node is ending: nothing waits in memory any more.
  static func of(
    _ result: SubmissionResult, attempts: Int16, message: PushMessage, now: Int64, jitter: Double, isStopping: Bool
  ) -> Verdict {
    switch result {
    case .accepted: return .final(.accepted, reason: nil)
    case .rejected(let reason), .badToken(let reason, _): return .final(.rejected, reason: reason)
    case .notProcessed: return soon(Self.notProcessedMilliseconds, attempts, now, isStopping, reason: "NotProcessed")
    case .stale: return soon(0, attempts, now, isStopping, reason: "NotProcessed")
    case .credentialFault(let reason):
      let due = now + Limits.credentialFaultSeconds * 1_000_000
      return due / 1_000_000 >= message.expiresAtSeconds
        ? .final(.expired, reason: reason) : .paused(dueAt: due, attempts: attempts, reason: reason)
    case .unknown(let reason):
      if message.onUnknown == .skip { return .final(.skipped, reason: SkipReason.unknownNotResent.rawValue) }
      return later(reason, nil, attempts + 1, message, now, jitter, isStopping, wasUnknown: true)
    case .retry(let reason, let after):
      return later(reason, after, attempts + 1, message, now, jitter, isStopping, wasUnknown: false)
    }
  }

  private static let notProcessedMilliseconds =
    Limits.notProcessedPause.components.attoseconds / 1_000_000_000_000_000

  private static func soon(
    _ milliseconds: Int64, _ attempts: Int16, _ now: Int64, _ isStopping: Bool, reason: String
  ) -> Verdict {
    isStopping
      ? .deferred(dueAt: now, attempts: attempts, reason: reason)
      : .again(afterMilliseconds: milliseconds, attempts: attempts, wasUnknown: false)
  }

  private static func later(
    _ reason: String, _ after: Int?, _ attempts: Int16, _ message: PushMessage, _ now: Int64, _ jitter: Double,
    _ isStopping: Bool, wasUnknown: Bool
  ) -> Verdict {
    let planned = RetryPolicy.delaySeconds(attempts: Int(attempts), jitter: jitter)
    // What the network asks for counts, when it is longer than what we would do.
    let delay = max(planned, Int64(after ?? 0))
    let due = now + delay * 1_000_000
    if due / 1_000_000 >= message.expiresAtSeconds { return .final(.expired, reason: reason) }
    if delay <= RetryPolicy.longestInMemorySeconds, !isStopping {
      return .again(afterMilliseconds: delay * 1000, attempts: attempts, wasUnknown: wasUnknown)
    }
    return .deferred(dueAt: due, attempts: attempts, reason: reason)
  }
}
