import Domain
import Operations
import Reactor
import Testing

@testable import API

/// A committer whose database stays away: everything waits, nothing is carried out.
@Suite struct CommitterTests {
  private let clock = ManualClock()
  private let loop: EventLoop
  private let committer: Committer

  init() throws {
    loop = try EventLoop(clock: clock)
    // No host is there: it is never reached, and never asked again within the test.
    committer = try Committer(
      url: "postgresql:///none?host=/nowhere", writer: 1, catalog: try Catalog(), loop: loop)
  }

  private func pass(_ time: Duration) {
    clock.advance(by: time)
    for _ in 0..<3 { loop.turn(atMost: .zero) }
  }

  @Test func `whoever finds every place taken is told to come again after a moment, and takes nobody's place`() {
    var problems: [String] = []
    func submit(_ name: String) {
      committer.submit(.confirm([])) { outcome in
        guard case .failure(let problem) = outcome else { return }
        problems.append("\(name) \(problem.code.rawValue)")
      }
    }
    for _ in 0..<DeviceLimits.waitingOperations { submit("waiting") }
    submit("late")
    pass(.milliseconds(1))
    #expect(problems.isEmpty)
    pass(DeviceLimits.refusalPause)
    #expect(problems == ["late upmc:busy"])
    pass(DeviceLimits.timeout)
    #expect(
      problems.dropFirst()
        == ArraySlice(repeating: "waiting upmc:database-away", count: DeviceLimits.waitingOperations))
    #expect(committer.isIdle)
  }
}
