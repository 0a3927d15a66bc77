import Reactor
import Testing

@Suite struct TimersTests {
  private func instant(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

  private func fire(_ timers: inout Timers, at milliseconds: Int64) {
    while let action = timers.popDue(at: instant(milliseconds)) { action() }
  }

  @Test func `timers fire in the order of their deadlines, equal ones as made`() {
    var timers = Timers()
    var fired: [String] = []
    _ = timers.schedule(at: instant(30)) { fired.append("c") }
    _ = timers.schedule(at: instant(10)) { fired.append("a") }
    _ = timers.schedule(at: instant(20)) { fired.append("b1") }
    _ = timers.schedule(at: instant(20)) { fired.append("b2") }
    fire(&timers, at: 100)
    #expect(fired == ["a", "b1", "b2", "c"])
    #expect(timers.isEmpty)
  }

  @Test func `nothing fires before its deadline, and at the deadline it does`() {
    var timers = Timers()
    var fired = 0
    _ = timers.schedule(at: instant(10)) { fired += 1 }
    #expect(timers.popDue(at: Instant(nanoseconds: 9_999_999)) == nil)
    fire(&timers, at: 10)
    fire(&timers, at: 11)
    #expect(fired == 1)
  }

  @Test func `the next deadline is the earliest that still lives`() {
    var timers = Timers()
    #expect(timers.next() == nil)
    let first = timers.schedule(at: instant(10)) {}
    _ = timers.schedule(at: instant(20)) {}
    #expect(timers.next() == instant(10))
    timers.cancel(first)
    #expect(timers.next() == instant(20))
  }

  @Test func `a cancelled timer does not fire; cancelling twice or too late changes nothing`() {
    var timers = Timers()
    var fired: [Int] = []
    let first = timers.schedule(at: instant(10)) { fired.append(1) }
    _ = timers.schedule(at: instant(10)) { fired.append(2) }
    timers.cancel(first)
    timers.cancel(first)
    fire(&timers, at: 10)
    timers.cancel(first)
    #expect(fired == [2])
  }

  @Test func `cancelling lets go of what the action holds`() {
    final class Held {}
    var timers = Timers()
    weak var seen: Held?
    let id: Timers.ID
    do {
      let held = Held()
      seen = held
      id = timers.schedule(at: instant(10)) { _ = held }
    }
    #expect(seen != nil)
    timers.cancel(id)
    #expect(seen == nil)
  }

  @Test func `cancelled timers do not pile up`() {
    var timers = Timers()
    _ = timers.schedule(at: instant(1)) {}
    // As a busy connection does with its idle time-out: a new one for every request, far in the future.
    for request in 0..<100_000 { timers.cancel(timers.schedule(at: instant(60_000 + Int64(request))) {}) }
    #expect(timers.heldEntries < 1000)
    #expect(timers.next() == instant(1))
  }

  @Test func `a thousand timers in random order come out sorted, without the cancelled ones`() {
    var generator = SystemRandomNumberGenerator()
    var timers = Timers()
    var expected: [Int64] = []
    var fired: [Int64] = []
    for _ in 0..<1000 {
      let deadline = Int64.random(in: 0..<500, using: &generator)
      let id = timers.schedule(at: instant(deadline)) { fired.append(deadline) }
      if Bool.random(using: &generator) { timers.cancel(id) } else { expected.append(deadline) }
    }
    fire(&timers, at: 500)
    #expect(fired == expected.sorted())
  }
}
