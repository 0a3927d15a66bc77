internal import Glibc

/// Waits by polling, for conditions that cannot wake the thread, such as the state of another process. Where a wake-up
/// is possible, use `Wakeup`, `Inbox` or `StopSignal` instead.
package enum Polling {
  /// Blocks for `time`, rounded up to a millisecond; a signal handler can end the wait earlier.
  package static func rest(_ time: Duration) {
    _ = poll(nil, 0, Int32(clamping: max(0, (time.nanoseconds + 999_999) / 1_000_000)))
  }

  /// Polls `condition` at least once, until it is true. Returns false on timeout. Throws the error of `condition`,
  /// without polling again.
  /// - Parameters:
  ///   - timeout: time after which polling ends.
  ///   - interval: pause between two polls.
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
