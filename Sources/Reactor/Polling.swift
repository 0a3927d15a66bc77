internal import Glibc

/// Waiting for what cannot wake the thread: another process, or something that another program writes. Whatever can be
/// signalled is waited for by `Wakeup`, `Inbox` or `StopSignal`.
package enum Polling {
  /// Returns when the time is over, to the next millisecond; a signal handler may end it earlier.
  package static func rest(_ time: Duration) {
    _ = poll(nil, 0, Int32(clamping: max(0, (time.nanoseconds + 999_999) / 1_000_000)))
  }

  /// Asks again and again until `condition` holds.
  /// - Parameters:
  ///   - patience: for how long, at the least.
  ///   - interval: between two questions.
  /// - Returns: false when the time was over first.
  package static func until<Failure: Error>(
    _ timeout: Duration, every interval: Duration, _ condition: () throws(Failure) -> Bool
  ) throws(Failure) -> Bool {
    let clock = SystemClock()
    let deadline = clock.now + timeout
    while try !condition() {
      guard clock.now < deadline else { return false }
      rest(interval)
    }
    return true
  }
}
