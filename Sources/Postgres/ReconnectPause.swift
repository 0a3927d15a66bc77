/// Exponential back-off before reconnecting, between `reconnectPauseMinimum` and `reconnectPauseMaximum`.
enum ReconnectPause {
  /// Returns how long to wait before the next attempt.
  /// - Parameters:
  ///   - attempt: number of consecutive failed attempts, starting at 0.
  ///   - jitter: random number in 0 ..< 1, by which the pause is shortened by up to a quarter, so that the nodes of a
  ///     cluster do not reconnect simultaneously.
  static func length(attempt: Int, jitter: Double) -> Duration {
    // 2^7 × 50 ms exceeds the maximum already; larger exponents would only overflow.
    let doubled = Postgres.Limits.reconnectPauseMinimum * (1 << min(max(0, attempt), 7))
    let capped = min(doubled, Postgres.Limits.reconnectPauseMaximum)
    return max(Postgres.Limits.reconnectPauseMinimum, capped - capped / 4 * jitter)
  }
}
