internal import Glibc
internal import Synchronization

/// A source of time. Time-dependent code takes a `Clock`, or the time itself, as an argument, so that tests control it.
package protocol Clock: Sendable {
  /// The monotonic time, for durations and timeouts.
  var now: Instant { get }
  /// The wall-clock time in microseconds since 1970-01-01 UTC (PostgreSQL's resolution).
  var wallMicroseconds: Int64 { get }
}

/// The operating system's clocks.
package struct SystemClock: Clock {
  package init() {}

  package var now: Instant {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  package var wallMicroseconds: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}

/// A clock for tests that advances only when told to.
package final class ManualClock: Clock {
  private let elapsed: Mutex<Int64>
  private let startMicroseconds: Int64

  /// Creates a clock that stands still until it is advanced.
  /// - Parameter wallMicroseconds: initial wall time; by default 2026-01-01T00:00:00Z.
  package init(wallMicroseconds: Int64 = 1_767_225_600_000_000) {
    startMicroseconds = wallMicroseconds
    elapsed = Mutex(0)
  }

  package var now: Instant { Instant(nanoseconds: elapsed.withLock { $0 }) }
  package var wallMicroseconds: Int64 { startMicroseconds + elapsed.withLock { $0 } / 1_000 }

  package func advance(by duration: Duration) {
    elapsed.withLock { $0 += duration.nanoseconds }
  }
}

/// The system clock with an adjustable error of the wall time, to simulate a machine whose clock is wrong.
package final class ShiftedClock: Clock {
  private let machine = SystemClock()
  private let shift: Atomic<Int64>

  package init(seconds: Int64 = 0) {
    shift = Atomic(seconds * 1_000_000)
  }

  package var now: Instant { machine.now }
  package var wallMicroseconds: Int64 { machine.wallMicroseconds + shift.load(ordering: .relaxed) }

  /// Sets the error of the wall time, in seconds; a positive error makes the clock fast.
  package func jump(to seconds: Int64) { shift.store(seconds * 1_000_000, ordering: .relaxed) }
}
