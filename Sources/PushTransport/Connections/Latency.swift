internal import Reactor

/// Seconds from request to answer on one connection, smoothed: each answer moves it by a sixteenth of the difference.
struct Latency {
  private(set) var seconds = 0.0
  /// Answers since the connection began.
  private(set) var samples = 0

  mutating func answered(after duration: Duration) {
    let sample = Double(duration.nanoseconds) / 1e9
    samples += 1
    // The first ones count as a plain mean, or the start value would linger.
    seconds += (sample - seconds) / Double(min(samples, PushTransport.Limits.latencyAnswers))
  }

  /// Which of several connections is so much slower than its siblings that the others should do its work: its position.
  /// - Parameter seconds: one for each connection; nil for one that has not answered enough to be judged.
  static func outlier(_ seconds: [Double?]) -> Int? {
    let known = seconds.compactMap { $0 }
    guard known.count >= 2, let worst = known.max(), let position = seconds.firstIndex(of: worst) else { return nil }
    // The median of the others (the lower one of two): most of them are healthy.
    let others = known.sorted().dropLast()
    let usual = others[others.startIndex + (others.count - 1) / 2]
    let isSlow =
      worst > usual * PushTransport.Limits.slowFactor
      && worst > usual + Double(PushTransport.Limits.slowMilliseconds) / 1000
    return isSlow ? position : nil
  }
}
