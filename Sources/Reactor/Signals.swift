internal import Glibc

/// Process signals, taken one at a time by the main thread.
package enum Signals {
  package enum Received: Sendable {
    /// SIGTERM or SIGINT: end in good order.
    case stop
    /// SIGHUP: read configuration files again.
    case reload
  }

  /// Keeps these signals from interrupting any thread, and lets writes to a lost peer fail with EPIPE instead of
  /// ending the process. Call it first in `main`, before any thread starts (threads inherit the mask).
  package static func block() {
    signal(SIGPIPE, SIG_IGN)
    var set = handled()
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Undoes `block` in a forked child that is about to run another program is not needed: use `posix_spawn` with an
  /// empty mask. Waits for the next signal.
  package static func wait() -> Received {
    var set = handled()
    while true {
      var number: Int32 = 0
      guard unsafe sigwait(&set, &number) == 0 else { continue }
      return number == SIGHUP ? .reload : .stop
    }
  }

  private static func handled() -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, number) }
    return set
  }
}
