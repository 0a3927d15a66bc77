import Domain
import Reactor
import Testing

@testable import FCM

@Suite struct PacerTests {
  private let start = ManualClock().now

  /// Takes all that may leave, every 5 ms, and counts it by second.
  private func run(_ pacer: inout Pacer, seconds: Int, from: Instant) -> [Int] {
    (0..<seconds).map { second in
      (0..<200).reduce(0) { sum, step in
        let now = from + .milliseconds(second * 1000 + step * 5)
        let count = pacer.allowance(.bulk, at: now)
        pacer.submitted(count, at: now)
        return sum + count
      }
    }
  }

  @Test func `it begins with a tenth and reaches the whole within a minute or so of full work`() {
    var pacer = Pacer(messagesPerMinute: 600_000, at: start)
    let sent = run(&pacer, seconds: 90, from: start)
    #expect((900...1_300).contains(sent[0]), "\(sent[0])")
    #expect(sent[30] < 7_000 && sent[30] > 4_000, "\(sent[30])")
    #expect((9_600...9_810).contains(sent[80]), "\(sent[80])")
  }

  @Test func `no minute holds more than the quota`() {
    var pacer = Pacer(messagesPerMinute: 6_000, at: start)
    let sent = run(&pacer, seconds: 240, from: start)
    for first in 0..<180 { #expect(sent[first..<first + 60].reduce(0, +) <= 6_000) }
  }

  @Test func `urgent messages go when the others wait`() {
    var pacer = Pacer(messagesPerMinute: 600_000, at: start)
    let now = start + .seconds(1)
    let bulk = pacer.allowance(.bulk, at: now)
    pacer.submitted(bulk, at: now)
    #expect(pacer.allowance(.bulk, at: now) == 0)
    #expect(pacer.allowance(.urgent, at: now) > 0)
  }

  @Test func `an exceeded quota halves the pace, and it climbs again`() {
    var pacer = Pacer(messagesPerMinute: 600_000, at: start)
    _ = run(&pacer, seconds: 90, from: start)
    let full = pacer.rate
    pacer.exceeded(at: start + .seconds(90))
    #expect(abs(pacer.rate - full / 2) < 1)
    _ = run(&pacer, seconds: 20, from: start + .seconds(90))
    #expect(pacer.rate > full / 2 + 1_000)
  }

  @Test func `after long idleness it begins anew`() {
    var pacer = Pacer(messagesPerMinute: 600_000, at: start)
    _ = run(&pacer, seconds: 90, from: start)
    _ = pacer.allowance(.bulk, at: start + .seconds(1_000))
    #expect(pacer.rate < 1_300)
  }
}
