internal import Glibc
internal import Synchronization
package import Time

/// A source of time. Time-dependent code receives a `Clock`, or the time itself, as an argument, so that tests control
/// it.
package protocol Clock: Sendable {
  /// The monotonic time, for durations and timeouts.
  var now: Instant { get }
  /// The wall-clock time (UTC). It can jump: use `now` for durations.
  var wallTime: Timestamp { get }
}

/// The operating system's clocks.
package struct SystemClock: Clock {
  package init() {}

  package var now: Instant {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  package var wallTime: Timestamp {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)
  }
}

/// A clock for tests that advances only when `advance` is called.
package final class ManualClock: Clock {
  private let elapsed: Mutex<Int64>
  private let start: Timestamp

  /// Creates a clock whose monotonic time is 0.
  /// - Parameter wallTime: initial wall time; by default 2026-01-01T00:00:00Z.
  package init(wallTime: Timestamp = Timestamp(seconds: 1_767_225_600)) {
    start = wallTime
    elapsed = Mutex(0)
  }

  package var now: Instant { Instant(nanoseconds: elapsed.withLock { $0 }) }
  package var wallTime: Timestamp { start + .nanoseconds(elapsed.withLock { $0 }) }

  package func advance(by duration: Duration) {
    elapsed.withLock { $0 += duration.nanoseconds }
  }
}

/// The system clock with an adjustable error of the wall time, to simulate a machine whose clock is wrong.
package final class ShiftedClock: Clock {
  private let machine = SystemClock()
  /// The error of the wall time in seconds; positive if the clock is fast.
  private let shift: Atomic<Int64>

  package init(seconds: Int64 = 0) {
    shift = Atomic(seconds)
  }

  package var now: Instant { machine.now }
  package var wallTime: Timestamp { machine.wallTime + .seconds(shift.load(ordering: .relaxed)) }

  /// Sets the error of the wall time, in seconds; a positive error makes the clock fast.
  package func jump(to seconds: Int64) { shift.store(seconds, ordering: .relaxed) }
}
