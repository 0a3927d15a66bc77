internal import Glibc

/// Receives process signals, one at a time, on the main thread.
package enum Signals {
  package enum Received: Sendable {
    /// SIGTERM or SIGINT: shut down gracefully.
    case stop
    /// SIGHUP: read the TLS certificate again.
    case reload
  }

  /// Sets up signal handling; call it first in `main`, because threads inherit the mask. Blocks the signals that `wait`
  /// receives. Ignores SIGPIPE, so that writing to a closed connection fails with EPIPE instead of ending the process,
  /// and SIGUSR1 and SIGUSR2, which would end the process by default and which operators send to other servers for
  /// other purposes.
  package static func block() {
    for number in ignored { signal(number, SIG_IGN) }
    var set = handled()
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Undoes the blocking for the calling thread and those that it starts, so that SIGTERM, SIGINT and SIGHUP end the
  /// process again. The ignored signals stay ignored.
  package static func unblock() {
    var set = handled()
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Waits indefinitely for the next signal.
  package static func wait() -> Received {
    while true {
      if let received = wait(atMost: .seconds(3600)) { return received }
    }
  }

  /// Waits for the next signal. Returns nil on timeout, or if another signal interrupts the wait.
  package static func wait(atMost timeout: Duration) -> Received? {
    var set = handled()
    var time = timespec()
    time.tv_sec = Int(timeout.nanoseconds / 1_000_000_000)
    time.tv_nsec = Int(timeout.nanoseconds % 1_000_000_000)
    let number = unsafe sigtimedwait(&set, nil, &time)
    guard number > 0 else { return nil }
    return number == SIGHUP ? .reload : .stop
  }

  /// The signals that this process ignores. `ChildProcess` restores their default actions in the child.
  static let ignored = [SIGPIPE, SIGUSR1, SIGUSR2]

  private static func handled() -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, number) }
    return set
  }
}
