import JSON
import Testing
import Time

@testable import Domain

@Suite struct PaceTests {
  /// Claims as fast as it may, looking every `step`, at most `most` at a time. Answers devices by second.
  private func run(_ pace: Pace, seconds: Int, step: Duration = .milliseconds(10), most: Int = 2_000) -> [Int] {
    var meter = PaceMeter(pace, now: .zero)
    var counts = [Int](repeating: 0, count: seconds)
    var now = Timestamp.zero
    while now.seconds < seconds {
      let taken = min(most, meter.allowance(pace, now: now))
      meter.take(taken, pace)
      counts[Int(now.seconds)] += taken
      now += step
    }
    return counts
  }

  @Test(arguments: [1, 7, 100, 1_000, 20_000, 100_000])
  func `n a second are n in every second, evenly`(n: Int32) {
    let counts = run(Pace(devices: n), seconds: 10)
    let slack = max(1, Int(n) / 8)
    for count in counts { #expect(abs(count - Int(n)) <= slack, "\(n): \(counts)") }
    #expect(abs(counts.reduce(0, +) - 10 * Int(n)) <= slack)
  }

  @Test func `looking only every fifth of a second loses nothing`() {
    #expect(abs(run(Pace(devices: 1_000), seconds: 10, step: .milliseconds(200)).reduce(0, +) - 10_000) <= 200)
    #expect(abs(run(Pace(devices: 3), seconds: 10, step: .milliseconds(200)).reduce(0, +) - 30) <= 2)
  }

  @Test func `after a long silence at most half a second's devices come at once`() {
    let pace = Pace(devices: 100)
    var meter = PaceMeter(pace, now: .zero)
    #expect(meter.allowance(pace, now: Timestamp(seconds: 3_600)) == 51)
  }

  @Test func `a user's devices, never split, are owed`() {
    let pace = Pace(devices: 10)
    var meter = PaceMeter(pace, now: .zero)
    #expect(meter.allowance(pace, now: .zero) == 1)
    meter.take(11, pace)
    #expect(meter.readyAt == Timestamp(milliseconds: 1_100))
    #expect(meter.allowance(pace, now: Timestamp(microseconds: 1_099_999)) == 0)
    #expect(meter.allowance(pace, now: Timestamp(milliseconds: 1_100)) == 1)
  }

  @Test func `n and a wait: portions of n, each claim counted, the wait after the last`() {
    let pace = Pace(devices: 5, waitSeconds: 30)
    var meter = PaceMeter(pace, now: .zero)
    #expect(meter.allowance(pace, now: .zero) == 5)
    meter.take(3, pace)
    #expect(meter.allowance(pace, now: Timestamp(microseconds: 1)) == 2)
    meter.take(2, pace)
    #expect(meter.allowance(pace, now: Timestamp(seconds: 30)) == 0)
    #expect(meter.allowance(pace, now: Timestamp(microseconds: 30_000_001)) == 5)
    #expect(run(pace, seconds: 100).reduce(0, +) == 20)
  }

  private func read(_ json: String) throws(JSONError) -> Pace {
    var reader = JSONReader(Array(json.utf8))
    return try Pace.read(&reader)
  }

  @Test func `both forms are read`() throws {
    #expect(try read(#"{"perSecond":100}"#) == Pace(devices: 100))
    #expect(try read(#"{"wait":"PT1M","devices":1000}"#) == Pace(devices: 1000, waitSeconds: 60))
  }

  @Test(arguments: [
    "{}", #"{"perSecond":0}"#, #"{"perSecond":1000001}"#, #"{"perSecond":1.5}"#, #"{"devices":5}"#,
    #"{"wait":"PT1S"}"#, #"{"perSecond":1,"devices":1,"wait":"PT1S"}"#, #"{"devices":1,"wait":"PT0S"}"#,
    #"{"devices":1,"wait":"P2D"}"#, #"{"fast":true}"#,
  ])
  func `anything else is refused`(json: String) {
    #expect(throws: JSONError.self) { try read(json) }
  }
}
