internal import Glibc
internal import Synchronization

/// A source of time. Code whose timing is tested takes a `Clock`, or the time itself, as an argument, so that tests
/// control it.
package protocol Clock: Sendable {
  /// Monotonic time, for durations and deadlines.
  var now: Instant { get }
  /// Wall-clock time, for people and other machines: microseconds since 1970-01-01 UTC, PostgreSQL's own resolution.
  var wallMicroseconds: Int64 { get }
}

/// The machine's clocks.
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

/// A clock that only moves when advanced, for tests.
package final class ManualClock: Clock {
  private let elapsed: Mutex<Int64>
  private let startMicroseconds: Int64

  /// Starts at 2026-01-01T00:00:00Z by default.
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

/// The machine's clock with its wall time off by a number of seconds that a test can change.
package final class ShiftedClock: Clock {
  private let machine = SystemClock()
  private let shift: Atomic<Int64>

  package init(seconds: Int64 = 0) {
    shift = Atomic(seconds * 1_000_000)
  }

  package var now: Instant { machine.now }
  package var wallMicroseconds: Int64 { machine.wallMicroseconds + shift.load(ordering: .relaxed) }

  /// Changes the error of the wall time.
  package func jump(to seconds: Int64) { shift.store(seconds * 1_000_000, ordering: .relaxed) }
}
