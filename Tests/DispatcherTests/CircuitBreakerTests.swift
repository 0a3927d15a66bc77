import Domain
import Store
import TestSupport
import Testing
import Time

@testable import Dispatcher

@Suite struct CircuitBreakerTests {
  private static let route = PushRoute(app: 1, network: .apns, environment: .production)
  private static let sandbox = PushRoute(app: 1, network: .apns, environment: .sandbox)
  private static let stranger = PushRoute(app: 2, network: .apns, environment: .production)

  private static func refusal(_ number: Int, at time: Timestamp = 0, _ reason: String = "BadDeviceToken")
    -> AnswerWindow.Refusal
  {
    AnswerWindow.Refusal(
      delivery: Confirmations.Delivery(seqno: 1, device: DeviceID(high: 0, low: UInt64(number))), reason: reason,
      readAt: time)
  }

  private static func breaker(bad: Int, good: Int = 0, _ route: PushRoute = route, at time: Timestamp = 0)
    -> CircuitBreaker
  {
    var breaker = CircuitBreaker()
    for _ in 0..<good { breaker.countGood(route) }
    for number in 0..<bad { breaker.countBad(route, refusal(number, at: time)) }
    return breaker
  }

  @Test func `it needs a hundred refusals, and they must be half of the last two hundred answers`() {
    #expect(Self.breaker(bad: 99).suspects.isEmpty)
    #expect(Self.breaker(bad: 100).suspects == [Self.route])
    #expect(Self.breaker(bad: 99, good: 101).suspects.isEmpty)
    #expect(Self.breaker(bad: 100, good: 100).suspects == [Self.route])
    #expect(Self.breaker(bad: 100, good: 1_000_000).suspects == [Self.route])
  }

  @Test func `refusals that lie further back than two hundred answers are forgotten`() {
    var breaker = Self.breaker(bad: 99)
    for _ in 0..<101 { breaker.countGood(Self.route) }
    // The window is full: each refusal now pushes one of the old ones out.
    for number in 0..<50 { breaker.countBad(Self.route, Self.refusal(number)) }
    #expect(breaker.suspects.isEmpty)
    for number in 0..<51 { breaker.countBad(Self.route, Self.refusal(number)) }
    #expect(breaker.suspects == [Self.route])
  }

  @Test func `half and half for ever is a flood, two of five are not`() {
    var half = CircuitBreaker()
    var less = CircuitBreaker()
    for number in 0..<1000 {
      if number % 2 == 0 { half.countGood(Self.route) } else { half.countBad(Self.route, Self.refusal(number)) }
      if number % 5 > 1 { less.countGood(Self.route) } else { less.countBad(Self.route, Self.refusal(number)) }
      #expect(less.suspects.isEmpty)
    }
    #expect(half.suspects == [Self.route])
  }

  @Test func `a flood keeps every refusal since it began, however many, and the summary speaks of the last answers`() {
    var breaker = Self.breaker(bad: 500)
    #expect(breaker.window(Self.route, since: nil)?.undone.count == 500)
    #expect(breaker.window(Self.route, since: nil)?.summary == "BadDeviceToken 200")
    #expect(breaker.window(Self.route, since: 1) == nil)
    for _ in 0..<101 { breaker.countGood(Self.route) }
    #expect(breaker.window(Self.route, since: nil) == nil)
    for number in 500..<600 { breaker.countBad(Self.route, Self.refusal(number)) }
    #expect(breaker.window(Self.route, since: nil)?.undone.count == 100, "it was no flood in between")
  }

  @Test func `each app and environment is judged by itself`() {
    var breaker = Self.breaker(bad: 99)
    for number in 0..<99 {
      breaker.countBad(Self.sandbox, Self.refusal(number))
      breaker.countBad(Self.stranger, Self.refusal(number))
    }
    #expect(breaker.suspects.isEmpty)
    breaker.countBad(Self.sandbox, Self.refusal(99))
    #expect(breaker.suspects == [Self.sandbox])
  }

  @Test func `what came before the resumption does not count`() {
    var breaker = Self.breaker(bad: 99, at: 5)
    breaker.countBad(Self.route, Self.refusal(100, at: 10))
    #expect(breaker.window(Self.route, since: nil)?.refusals.count == 100)
    #expect(breaker.window(Self.route, since: 5)?.refusals.count == 100)
    #expect(breaker.window(Self.route, since: 6) == nil)
    breaker.forget(Self.route, before: 6)
    #expect(breaker.suspects.isEmpty)
    for number in 0..<98 { breaker.countBad(Self.route, Self.refusal(number, at: 11)) }
    #expect(breaker.suspects.isEmpty, "one and ninety-eight")
    breaker.countBad(Self.route, Self.refusal(99, at: 11))
    #expect(breaker.suspects == [Self.route])
  }

  @Test func `an app that was paused begins anew with all its routes, and only it`() {
    var breaker = Self.breaker(bad: 150)
    for number in 0..<100 { breaker.countBad(Self.stranger, Self.refusal(number)) }
    breaker.clear(1)
    #expect(breaker.suspects == [Self.stranger])
    #expect(breaker.window(Self.route, since: nil) == nil)
    for number in 0..<99 { breaker.countBad(Self.route, Self.refusal(number)) }
    #expect(breaker.suspects == [Self.stranger])
  }

  @Test func `the summary names the reasons, the most frequent first`() {
    var window = AnswerWindow()
    for number in 0..<3 { window.add(Self.refusal(number, "TopicDisallowed")) }
    for number in 0..<7 { window.add(Self.refusal(number)) }
    window.add(nil)
    #expect(window.summary == "BadDeviceToken 7, TopicDisallowed 3")
    #expect(window.count == 11)
  }
}
