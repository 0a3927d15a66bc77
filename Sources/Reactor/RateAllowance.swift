/// How often something may happen, by the generic cell rate algorithm: all that has to be remembered of whoever asks is
/// the time at which what was taken so far is paid for (ITU-T I.371, virtual scheduling).
package struct RateAllowance: Sendable {
  /// Nanoseconds that one costs.
  private let cost: Int64
  /// Nanoseconds that somebody may be ahead.
  private let credit: Int64

  /// - Parameters:
  ///   - count: on the average in a period; at least 1.
  ///   - credit: as many as are allowed in this time may be taken at once.
  package init(_ count: Int, per period: Duration, credit: Duration) {
    cost = period.nanoseconds / Int64(max(1, count))
    self.credit = credit.nanoseconds
  }

  /// Takes one.
  /// - Parameter paidAt: what is remembered: nanoseconds of the monotonic clock; 0 at first.
  /// - Returns: false when nothing is left; then nothing is taken.
  package func take(_ paidAt: inout Int64, now: Instant) -> Bool {
    let begin = max(paidAt, now.nanoseconds)
    guard begin - now.nanoseconds <= credit - cost else { return false }
    paidAt = begin + cost
    return true
  }

  /// Undoes what `take` did.
  package func giveBack(_ paidAt: inout Int64) {
    paidAt -= cost
  }

  /// How long it takes until there is one to take.
  package func wait(_ paidAt: Int64, now: Instant) -> Duration {
    .nanoseconds(max(0, paidAt - now.nanoseconds - (credit - cost)))
  }
}
