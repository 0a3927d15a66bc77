import Reactor
import Testing

@Suite struct RateAllowanceTests {
  private let allowance = RateAllowance(10, per: .seconds(1), credit: .seconds(2))

  @Test func `as many as the credit holds may be taken at once, and not one more`() {
    var theoreticalArrival: Int64 = 0
    let now = Instant(nanoseconds: 5_000_000_000)
    for _ in 0..<20 { #expect(allowance.take(&theoreticalArrival, now: now)) }
    let before = theoreticalArrival
    #expect(!allowance.take(&theoreticalArrival, now: now))
    #expect(theoreticalArrival == before)
  }

  @Test func `it says when there will be one, and keeps its word`() {
    var theoreticalArrival: Int64 = 0
    let now = Instant(nanoseconds: 5_000_000_000)
    #expect(allowance.wait(theoreticalArrival, now: now) == .zero)
    for _ in 0..<20 { _ = allowance.take(&theoreticalArrival, now: now) }
    let wait = allowance.wait(theoreticalArrival, now: now)
    #expect(wait == .milliseconds(100))
    #expect(!allowance.take(&theoreticalArrival, now: now + (wait - .nanoseconds(1))))
    #expect(allowance.take(&theoreticalArrival, now: now + wait))
  }

  @Test func `whoever rests gets no more than the credit`() {
    var theoreticalArrival: Int64 = 0
    _ = allowance.take(&theoreticalArrival, now: Instant(nanoseconds: 0))
    let later = Instant(nanoseconds: 3_600_000_000_000)
    var taken = 0
    while allowance.take(&theoreticalArrival, now: later) { taken += 1 }
    #expect(taken == 20)
  }
}
