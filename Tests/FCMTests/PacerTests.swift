import Domain
import Reactor
import Testing

@testable import FCM

@Suite struct PacerTests {
  private let start = ManualClock().now

  /// Takes all that may leave, every 5 ms, and counts it by second.
  private func run(_ pacer: inout Pacer, _ lane: Lane = .bulk, seconds: Int, from: Instant) -> [Int] {
    (0..<seconds).map { second in
      (0..<200).reduce(0) { sum, step in
        let now = from + .milliseconds(second * 1000 + step * 5)
        let count = pacer.allowance(lane, at: now)
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

  @Test func `an exceeded quota lets all rest, then halves the pace, and it climbs again`() {
    var pacer = Pacer(messagesPerMinute: 600_000, at: start)
    _ = run(&pacer, seconds: 90, from: start)
    let full = pacer.rate
    let met = start + .seconds(90)
    let isNews = [(Lane.bulk, 0), (.urgent, 900), (.bulk, 2000)].map { lane, later in
      pacer.exceeded(lane, at: met + .milliseconds(later), for: .seconds(30))
    }
    #expect(isNews == [true, false, false], "those after the first were under way already")
    let meanwhile = run(&pacer, seconds: 30, from: met)
    #expect(meanwhile.allSatisfy { $0 == 0 } && abs(pacer.rate - full / 2) < 1)
    _ = run(&pacer, seconds: 20, from: met + .seconds(30))
    #expect(pacer.rate > full / 2 + 1_000)
  }

  @Test func `while the project rests, urgent ones have a hundredth, after a second`() {
    var pacer = Pacer(messagesPerMinute: 600_000, at: start)
    _ = run(&pacer, seconds: 90, from: start)
    let met = start + .seconds(90)
    _ = pacer.exceeded(.bulk, at: met, for: .seconds(60))
    #expect(pacer.restingLanes(at: met) == Set(Lane.allCases))
    let urgent = run(&pacer, .urgent, seconds: 59, from: met)
    #expect(urgent[0] == 0 && urgent[1...].allSatisfy { (90...115).contains($0) }, "\(urgent)")
    #expect(pacer.restingLanes(at: met + .seconds(59)) == [.normal, .bulk])
    #expect(pacer.restingLanes(at: met + .seconds(60)).isEmpty)
  }

  @Test func `urgent ones that are refused as well end that, until Google's time is over`() {
    var pacer = Pacer(messagesPerMinute: 600_000, at: start)
    _ = pacer.exceeded(.bulk, at: start, for: .seconds(10))
    let rate = pacer.rate
    let isNews = pacer.exceeded(.urgent, at: start + .seconds(5), for: .seconds(60))
    #expect(isNews && pacer.rate == rate, "it is halved once")
    let after = run(&pacer, .urgent, seconds: 60, from: start + .seconds(5))
    #expect(after.allSatisfy { $0 == 0 }, "\(after)")
    let again = pacer.allowance(.urgent, at: start + .seconds(66))
    #expect(again > 0)
  }

  @Test func `after long idleness it begins anew`() {
    var pacer = Pacer(messagesPerMinute: 600_000, at: start)
    _ = run(&pacer, seconds: 90, from: start)
    _ = pacer.allowance(.bulk, at: start + .seconds(1_000))
    #expect(pacer.rate < 1_300)
  }
}
