/// Pause before reconnecting: doubles from attempt to attempt, between the two limits.
enum ReconnectPause {
  /// - Parameters:
  ///   - attempt: number of consecutive failed attempts, from 0.
  ///   - jitter: 0 ..< 1, from the caller; takes off up to a quarter, so that the nodes of a cluster do not all
  ///     reconnect at the same instant.
  static func length(attempt: Int, jitter: Double) -> Duration {
    // 2 ^ 7 × 50 ms exceeds the maximum already; more would only overflow.
    let doubled = Postgres.Limits.reconnectPauseMinimum * (1 << min(max(0, attempt), 7))
    let capped = min(doubled, Postgres.Limits.reconnectPauseMaximum)
    return max(Postgres.Limits.reconnectPauseMinimum, capped - capped / 4 * jitter)
  }
}
