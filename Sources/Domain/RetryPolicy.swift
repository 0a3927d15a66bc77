/// Delays between the attempts of a delivery: short ones first, then longer ones that double. The random part is a
/// parameter.
package enum RetryPolicy {
  /// Delays in seconds after the first attempts: short, because most faults last only seconds.
  package static let quickDelays: [Int64] = [1, 5, 30]
  /// First of the longer delays, in seconds: Apple asks for 15 minutes after a 5xx.
  static let slowDelaySeconds: Int64 = 900
  /// Maximum delay in seconds without jitter, up to which the delay doubles.
  static let longestDelaySeconds: Int64 = 4 * 3600

  /// Returns the seconds until the next attempt, after `attempts` attempts so far (at least 1).
  /// - Parameter jitter: random number in 0…1; adds up to a tenth to long delays, so that retries do not coincide.
  ///   Other values count as 0 or 1.
  package static func delaySeconds(attempts: Int, jitter: Double) -> Int64 {
    if attempts <= quickDelays.count { return quickDelays[max(0, attempts - 1)] }
    let doublings = min(attempts - quickDelays.count - 1, 4)
    let base = min(slowDelaySeconds << Int64(doublings), longestDelaySeconds)
    return base + Int64(Double(base) * 0.1 * min(max(jitter, 0), 1))
  }

  /// Maximum delay in seconds that is kept in memory; longer ones are stored in the database.
  package static let longestInMemorySeconds: Int64 = 30
}
