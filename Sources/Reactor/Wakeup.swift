internal import CLinux
internal import Glibc

/// Wakes a thread that waits in `poll` or `epoll_wait`, by means of an eventfd. Any thread may signal; only the waiting
/// thread drains.
package final class Wakeup: Sendable {
  /// The eventfd, readable while a signal is pending.
  package let descriptor: Int32

  package init() throws(SystemError) {
    descriptor = upmc_eventfd()
    guard descriptor >= 0 else { throw .last("eventfd") }
  }

  deinit {
    close(descriptor)
  }

  /// Makes the descriptor readable. Never blocks; calling it repeatedly is harmless.
  package func signal() {
    var one: UInt64 = 1
    // EAGAIN means that the counter is full, and hence the descriptor readable already.
    _ = unsafe write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Clears the pending signals. Does not block if there are none.
  package func drain() {
    var count: UInt64 = 0
    _ = unsafe read(descriptor, &count, MemoryLayout<UInt64>.size)
  }

  /// Waits for a signal, without clearing it. Returns false on timeout, or if a signal handler interrupts the wait; a
  /// timeout of zero or less polls without waiting.
  package func wait(atMost timeout: Duration) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = Int32(clamping: max(0, (timeout.nanoseconds + 999_999) / 1_000_000))
    return unsafe poll(&entry, 1, milliseconds) > 0
  }
}
