internal import Glibc

/// Process signals, received one at a time by the main thread.
package enum Signals {
  package enum Received: Sendable {
    /// SIGTERM or SIGINT: shut down in order.
    case stop
    /// SIGHUP: reload configuration files.
    case reload
  }

  /// Blocks the handled signals in every thread, and lets writes to a lost peer fail with EPIPE instead of ending the
  /// process. Ignores SIGUSR1 and SIGUSR2, which have a meaning for other servers: by default they would end this one
  /// at once. Call it first in `main`, before any thread starts (threads inherit the mask).
  package static func block() {
    for number in ignored { signal(number, SIG_IGN) }
    var set = handled()
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for the next signal.
  package static func wait() -> Received {
    while true {
      if let received = wait(atMost: .seconds(3600)) { return received }
    }
  }

  /// Waits for the next signal; nil on timeout.
  package static func wait(atMost timeout: Duration) -> Received? {
    var set = handled()
    var time = timespec()
    time.tv_sec = Int(timeout.nanoseconds / 1_000_000_000)
    time.tv_nsec = Int(timeout.nanoseconds % 1_000_000_000)
    let number = unsafe sigtimedwait(&set, nil, &time)
    guard number > 0 else { return nil }
    return number == SIGHUP ? .reload : .stop
  }

  /// Signals that this process ignores; child processes get their default action back.
  static let ignored = [SIGPIPE, SIGUSR1, SIGUSR2]

  private static func handled() -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, number) }
    return set
  }
}
