/// How long to wait before connecting again: doubles from attempt to attempt, between the two limits.
enum ReconnectPause {
  /// - Parameters:
  ///   - attempt: how many attempts have failed in a row, from 0.
  ///   - jitter: 0 ..< 1, from the caller; up to a quarter is taken off, so that the nodes of a cluster do not all
  ///     come back in the same instant.
  static func length(attempt: Int, jitter: Double) -> Duration {
    // 2 ^ 7 × 50 ms is beyond the maximum already; more would only overflow.
    let doubled = Postgres.Limits.reconnectPauseMinimum * (1 << min(max(0, attempt), 7))
    let capped = min(doubled, Postgres.Limits.reconnectPauseMaximum)
    return max(Postgres.Limits.reconnectPauseMinimum, capped - capped / 4 * jitter)
  }
}
