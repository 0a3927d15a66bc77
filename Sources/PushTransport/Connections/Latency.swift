internal import Reactor

/// The exponentially smoothed latency of one connection, from request to answer, in seconds: each answer moves the
/// value by a sixteenth of the difference. The first sixteen answers are averaged with equal weight.
struct Latency {
  private(set) var seconds = 0.0
  /// The number of answers measured.
  private(set) var samples = 0

  mutating func answered(after duration: Duration) {
    let sample = Double(duration.nanoseconds) / 1e9
    samples += 1
    // Average the first samples with equal weight, so that the initial value of 0 does not distort the result.
    seconds += (sample - seconds) / Double(min(samples, PushTransport.Limits.latencyAnswers))
  }

  /// Returns the index of a connection so much slower than the others of its pool that it should be replaced; nil if
  /// there is none, or fewer than two can be judged.
  /// - Parameter seconds: latency of each connection; nil for a connection with too few answers to judge.
  static func outlier(_ seconds: [Double?]) -> Int? {
    let known = seconds.compactMap { $0 }
    guard known.count >= 2, let worst = known.max(), let position = seconds.firstIndex(of: worst) else { return nil }
    // Compare with the (lower) median of the others, most of which are assumed to be healthy.
    let others = known.sorted().dropLast()
    let usual = others[others.startIndex + (others.count - 1) / 2]
    let isSlow =
      worst > usual * PushTransport.Limits.slowFactor
      && worst > usual + Double(PushTransport.Limits.slowMilliseconds) / 1000
    return isSlow ? position : nil
  }
}
