import Reactor
import Testing
import Time

@Suite struct DatabaseClockTests {
  /// 2026-01-01, as a manual clock begins.
  private static let begin = Timestamp(seconds: 1_767_225_600)

  /// Learns at once that the database's clock shows so much more than ours began with.
  private func learn(_ clock: DatabaseClock, _ seconds: Double) -> Duration? {
    clock.learn(
      Self.begin + .nanoseconds(clock.now.nanoseconds) + .seconds(seconds), asked: clock.now, answered: clock.now)
  }

  @Test func `before the first answer the machine is believed, and nothing is begun`() {
    let clock = DatabaseClock(machine: ManualClock())
    #expect(clock.wallTime == Self.begin)
    #expect(!clock.isTrusted && !clock.isDoubtful && clock.ahead == nil && clock.complaint == nil)
  }

  @Test func `the time that was learnt goes on whatever the machine's clock does`() {
    let machine = ShiftedClock(seconds: 660)
    let clock = DatabaseClock(machine: machine)
    let asked = clock.now
    let right = SystemClock().wallTime
    let answered = clock.now
    clock.learn(right, asked: asked, answered: answered)
    // The clock is as exact as the interval in which the time was read.
    let slack = (answered - asked) + .seconds(1)
    for shift: Int64 in [660, 0, -86_400, 30 * 86_400] {
      machine.jump(to: shift)
      let before = SystemClock().wallTime
      let told = clock.wallTime
      let after = SystemClock().wallTime
      #expect(told > before - slack && told < after + slack, "\(shift): \(told - before)")
    }
  }

  @Test func `a slow answer is no reason to go back or ahead`() {
    let machine = ManualClock()
    let clock = DatabaseClock(machine: machine)
    #expect(learn(clock, 5) == nil)
    let asked = clock.now
    machine.advance(by: .seconds(4))
    // The database looked at its clock at some moment of these four seconds.
    #expect(clock.learn(Self.begin + .seconds(6), asked: asked, answered: clock.now) == nil)
    #expect(clock.wallTime == Self.begin + .seconds(9))
    // A quick one is believed.
    #expect(learn(clock, 5.5) == nil)
    #expect(clock.wallTime == Self.begin + .milliseconds(9_500))
  }

  @Test(arguments: [
    // What the database shows at some moment of ten seconds, from their beginning on, and what that proves.
    (0.0, nil, false), (9.9, nil, false), (-0.9, nil, false), (10.9, nil, false), (-3, "3.0 s ahead of", false),
    (13, "3.0 s behind", false), (-29, "29 s ahead of", false), (-31, "31 s ahead of", true), (41, "31 s behind", true),
  ])
  func `a slow first answer says no more of the clocks than it proves`(
    seconds: Double, said: String?, isDoubtful: Bool
  ) {
    let machine = ManualClock()
    let clock = DatabaseClock(machine: machine)
    let asked = clock.now
    machine.advance(by: .seconds(10))
    #expect(clock.learn(Self.begin + .seconds(seconds), asked: asked, answered: clock.now) == nil)
    #expect(clock.complaint == said.map { "\($0) the database's" })
    #expect(clock.isDoubtful == isDoubtful)
  }

  @Test func `a jump of the database's clock is told`() {
    let clock = DatabaseClock(machine: ManualClock())
    #expect(learn(clock, 0) == nil)
    #expect(learn(clock, 29) == nil)
    #expect(learn(clock, 86_429) == .seconds(86_400))
    #expect(learn(clock, 0) == .seconds(-86_429))
  }

  @Test(arguments: [
    (0.0, nil, false), (1.0, nil, false), (1.2, "1.2 s", false), (30, "30 s", false), (30.1, "30 s", true),
  ])
  func `more than a second is told, and more than thirty are too many`(
    seconds: Double, said: String?, isDoubtful: Bool
  ) {
    for sign in [1.0, -1] {
      let clock = DatabaseClock(machine: ManualClock())
      _ = learn(clock, seconds * sign)
      // The database's clock is ahead where it showed more.
      #expect(clock.complaint == said.map { "\($0) \(sign > 0 ? "behind" : "ahead of") the database's" })
      #expect(clock.isDoubtful == isDoubtful && clock.isTrusted != isDoubtful)
    }
  }

  @Test func `what was learnt is trusted for as long as a lease lasts`() {
    let machine = ManualClock()
    let clock = DatabaseClock(machine: machine)
    _ = learn(clock, 0)
    machine.advance(by: .seconds(10))
    #expect(clock.isTrusted)
    machine.advance(by: .nanoseconds(1))
    #expect(!clock.isTrusted && !clock.isDoubtful)
    _ = learn(clock, 0)
    #expect(clock.isTrusted)
  }
}
