/// Retry delays of deliveries. Pure: the jitter is a parameter.
package enum RetryPolicy {
  /// Short delays first, because most faults last only seconds. In seconds.
  package static let quickDelays: [Int64] = [1, 5, 30]
  /// Apple asks for a quarter of an hour after a 5xx.
  package static let slowDelaySeconds: Int64 = 900
  /// Slow delays double up to this.
  package static let longestDelaySeconds: Int64 = 4 * 3600

  /// Returns the seconds until the next try, after `attempts` tries so far (at least 1).
  /// - Parameter jitter: 0…1; adds up to a tenth to slow delays, so that retries do not coincide.
  package static func delaySeconds(attempts: Int, jitter: Double) -> Int64 {
    if attempts <= quickDelays.count { return quickDelays[max(0, attempts - 1)] }
    let doublings = min(attempts - quickDelays.count - 1, 4)
    let base = min(slowDelaySeconds << Int64(doublings), longestDelaySeconds)
    return base + Int64(Double(base) * 0.1 * min(max(jitter, 0), 1))
  }

  /// Delays up to this are kept in memory; longer ones are stored.
  package static let longestInMemorySeconds: Int64 = 30
}
