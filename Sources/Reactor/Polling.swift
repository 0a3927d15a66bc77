internal import Glibc

/// Waits for events that cannot wake the thread: another process, or something that another program writes. For
/// whatever can be signalled use `Wakeup`, `Inbox` or `StopSignal`.
package enum Polling {
  /// Returns after `time`, rounded up to a millisecond; a signal handler may end it earlier.
  package static func rest(_ time: Duration) {
    _ = poll(nil, 0, Int32(clamping: max(0, (time.nanoseconds + 999_999) / 1_000_000)))
  }

  /// Polls `condition` until it holds.
  /// - Parameters:
  ///   - timeout: minimum time until it gives up.
  ///   - interval: pause between two polls.
  /// - Returns: false on timeout.
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
