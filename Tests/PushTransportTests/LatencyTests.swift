import Reactor
import Testing

@testable import PushTransport

@Suite struct LatencyTests {
  @Test func `the first answers count as a mean, later ones move it by a sixteenth`() {
    var latency = Latency()
    latency.answered(after: .milliseconds(100))
    #expect(latency.seconds == 0.1)
    latency.answered(after: .milliseconds(300))
    #expect(abs(latency.seconds - 0.2) < 1e-9)
    for _ in 0..<100 { latency.answered(after: .milliseconds(200)) }
    latency.answered(after: .milliseconds(1800))
    #expect(abs(latency.seconds - 0.3) < 1e-3)
  }

  @Test(arguments: [
    ([0.05, 0.06, 0.9], 2), ([0.9, 0.05], 0), ([0.05, 0.05, 0.05, 12], 3), ([nil, 0.05, 2.0, nil], 2),
  ])
  func `one much slower than its siblings is found`(_ seconds: [Double?], _ position: Int) {
    #expect(Latency.outlier(seconds) == position)
  }

  @Test(arguments: [
    // Alone; not judged; all alike; three times as slow but by little; slower by much but not three times.
    [5.0], [5.0, nil], [0.9, 0.9, 1.0], [0.05, 0.2], [1.0, 1.0, 2.5],
  ])
  func `others are left in peace`(_ seconds: [Double?]) {
    #expect(Latency.outlier(seconds) == nil)
  }

  @Test func `when most are slow none is ejected`() {
    #expect(Latency.outlier([0.05, 3.0, 3.1, 3.2]) == nil)
  }
}
