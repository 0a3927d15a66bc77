/// A rate limit by the generic cell rate algorithm: the only state per caller is the time up to which its requests are
/// paid for (ITU-T I.371, virtual scheduling).
package struct RateAllowance: Sendable {
  /// Nanoseconds that one request costs.
  private let cost: Int64
  /// Nanoseconds that a caller may be ahead.
  private let credit: Int64

  /// - Parameters:
  ///   - count: average number in a period; at least 1.
  ///   - credit: burst: as many as this time allows may be taken at once.
  package init(_ count: Int, per period: Duration, credit: Duration) {
    cost = period.nanoseconds / Int64(max(1, count))
    self.credit = credit.nanoseconds
  }

  /// Takes one.
  /// - Parameter paidAt: the caller's state, in nanoseconds of the monotonic clock; 0 at first.
  /// - Returns: false if none is left; then nothing is taken.
  package func take(_ paidAt: inout Int64, now: Instant) -> Bool {
    let begin = max(paidAt, now.nanoseconds)
    guard begin - now.nanoseconds <= credit - cost else { return false }
    paidAt = begin + cost
    return true
  }

  /// Undoes a `take`.
  package func giveBack(_ paidAt: inout Int64) {
    paidAt -= cost
  }

  /// How long until the next one is available.
  package func wait(_ paidAt: Int64, now: Instant) -> Duration {
    .nanoseconds(max(0, paidAt - now.nanoseconds - (credit - cost)))
  }
}
