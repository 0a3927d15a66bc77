internal import Reactor

/// Determines when a signal may be sent again after failures: after an exponential back-off with jitter, or the delay
/// that the collector asked for. No I/O.
struct ExportPause {
  private var failures = 0
  private var until = Instant(nanoseconds: 0)

  func isOver(at now: Instant) -> Bool { now >= until }

  mutating func succeeded() { self = ExportPause() }

  /// Records a failed request and sets the end of the pause.
  /// - Parameters:
  ///   - seconds: from `Retry-After`; nil to use exponential back-off.
  ///   - jitter: 0 to 1; shortens the pause by up to half, so that nodes do not all retry at once.
  mutating func failed(at now: Instant, after seconds: Int?, jitter: Double) {
    let own = min(OTLPLimits.longestPause, OTLPLimits.firstPause * (1 << min(failures, 10)))
    failures += 1
    until = now + (seconds.map { .seconds(min($0, OTLPLimits.longestRetryAfter)) } ?? own * (1 - jitter / 2))
  }
}
