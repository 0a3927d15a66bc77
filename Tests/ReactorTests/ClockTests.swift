import Glibc
import Reactor
import TestSupport
import Testing
import Time

@Suite struct ClockTests {
  @Test func `the monotonic clock goes forward`() {
    let clock = SystemClock()
    var last = clock.now
    for _ in 0..<1000 {
      let now = clock.now
      #expect(now >= last)
      last = now
    }
  }

  @Test func `the wall clock is the machine's`() {
    let before = Timestamp(seconds: Int64(time(nil)))
    let now = SystemClock().wallTime
    let after = Timestamp(seconds: Int64(time(nil) + 1))
    // time(2) may lag by a timer tick behind the precise clock.
    #expect(now >= before - .milliseconds(20) && now <= after + .milliseconds(20))
  }

  @Test func `a manual clock stands still until told`() {
    let clock = ManualClock(wallTime: 1_000_000)
    #expect(clock.now == Instant(nanoseconds: 0))
    #expect(clock.wallTime == 1_000_000)
    clock.advance(by: .milliseconds(1500))
    #expect(clock.now == Instant(nanoseconds: 1_500_000_000))
    #expect(clock.wallTime == 2_500_000)
  }

  @Test func `a manual clock starts with the year 2026`() {
    #expect(ManualClock().wallTime == 1_767_225_600_000_000)
  }

  @Test func `instants and durations add up`() {
    let start = Instant(nanoseconds: 100)
    #expect(start + .nanoseconds(50) == Instant(nanoseconds: 150))
    #expect(start + .nanoseconds(50) - start == .nanoseconds(50))
    #expect(start - (start + .seconds(2)) == .seconds(-2))
    #expect(start < start + .nanoseconds(1))
  }

  @Test func `a duration is told in whole nanoseconds`() {
    #expect(Duration.seconds(2).nanoseconds == 2_000_000_000)
    #expect(Duration.milliseconds(-1).nanoseconds == -1_000_000)
    #expect(Duration(secondsComponent: 1, attosecondsComponent: 999_999_999).nanoseconds == 1_000_000_000)
  }
}
