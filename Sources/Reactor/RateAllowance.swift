/// A rate limiter by the generic cell rate algorithm (ITU-T I.371, virtual scheduling). The only state per caller is
/// its theoretical arrival time: the time up to which its past requests have used up the rate.
package struct RateAllowance: Sendable {
  /// The interval between requests at the average rate, in nanoseconds.
  private let cost: Int64
  /// The burst tolerance: how far a caller's theoretical arrival time can get ahead of now, in nanoseconds.
  private let credit: Int64

  /// Creates a rate limiter.
  /// - Parameters:
  ///   - count: average number of requests per `period`; at least 1.
  ///   - period: the time in which `count` requests are admitted on average.
  ///   - credit: burst size as a duration: as many requests as the average rate allows in this time may come at once.
  ///     If it is shorter than the average interval between two requests, none is admitted.
  package init(_ count: Int, per period: Duration, credit: Duration) {
    cost = period.nanoseconds / Int64(max(1, count))
    self.credit = credit.nanoseconds
  }

  /// Admits one request if the rate allows it. Returns false if the request exceeds the rate; the state is then
  /// unchanged.
  /// - Parameter theoreticalArrival: the caller's state, in nanoseconds of the monotonic clock; 0 initially.
  package func take(_ theoreticalArrival: inout Int64, now: Instant) -> Bool {
    let begin = max(theoreticalArrival, now.nanoseconds)
    guard begin - now.nanoseconds <= credit - cost else { return false }
    theoreticalArrival = begin + cost
    return true
  }

  /// Reverts a `take` that returned true, because the request was not carried out.
  package func refund(_ theoreticalArrival: inout Int64) {
    theoreticalArrival -= cost
  }

  /// Returns the time until another request would be admitted; zero if one would be admitted now.
  package func wait(_ theoreticalArrival: Int64, now: Instant) -> Duration {
    .nanoseconds(max(0, theoreticalArrival - now.nanoseconds - (credit - cost)))
  }
}
