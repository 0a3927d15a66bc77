/// Exponential back-off between connection attempts. Deterministic, because the caller passes in the jitter.
package struct BackOff {
  private var failures = 0

  package init() {}

  package mutating func succeeded() {
    failures = 0
  }

  /// Records a failure and returns how long to wait before the next attempt. The step doubles with each failure in a
  /// row, within `PushTransport.Limits.backOffSeconds`; the wait is between half the step and the whole step, so that
  /// nodes do not reconnect in unison.
  /// - Parameter jitter: random number in 0…1; 0 gives the shortest wait.
  package mutating func failed(jitter: Double) -> Duration {
    let range = PushTransport.Limits.backOffSeconds
    let step = min(range.upperBound, range.lowerBound * Double(1 << min(failures, 10)))
    failures += 1
    return .nanoseconds(Int64(step * (0.5 + 0.5 * min(max(jitter, 0), 1)) * 1e9))
  }
}
