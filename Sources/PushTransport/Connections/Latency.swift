internal import Reactor

/// Smoothed seconds from request to answer on one connection: each answer moves the value by a sixteenth of the
/// difference.
struct Latency {
  private(set) var seconds = 0.0
  /// Answers since the connection began.
  private(set) var samples = 0

  mutating func answered(after duration: Duration) {
    let sample = Double(duration.nanoseconds) / 1e9
    samples += 1
    // The first samples are averaged plainly, or the initial value would linger.
    seconds += (sample - seconds) / Double(min(samples, PushTransport.Limits.latencyAnswers))
  }

  /// The position of a connection so much slower than its siblings that they should do its work; nil if there is none.
  /// - Parameter seconds: one value per connection; nil for one with too few answers to be judged.
  static func outlier(_ seconds: [Double?]) -> Int? {
    let known = seconds.compactMap { $0 }
    guard known.count >= 2, let worst = known.max(), let position = seconds.firstIndex(of: worst) else { return nil }
    // The median of the others (the lower of two): most of them are healthy.
    let others = known.sorted().dropLast()
    let usual = others[others.startIndex + (others.count - 1) / 2]
    let isSlow =
      worst > usual * PushTransport.Limits.slowFactor
      && worst > usual + Double(PushTransport.Limits.slowMilliseconds) / 1000
    return isSlow ? position : nil
  }
}
