import Reactor
import TestSupport
import TestTier
import Testing

/// `make crash` takes all boundaries, in every way.
@Suite(.slow) struct CrashTests {
  @Test func `a tenth of a run's boundaries is crashed at, another one each day`() throws {
    let ended = try TortureRun(["crash", "--part", "10", "--minutes", "4", "--least", "5"])
    #expect(ended.ending == .exited(0), "\(ended.page)\n\(ended.progress)")
    #expect(ended.judged.succeeded, "\(ended.judged.text)")
    let survived = try #require(ended.page.firstMatch(of: /(\d+) of (\d+) boundaries survived/), "\(ended.progress)")
    #expect(survived.1 == survived.2)
    // About 40 on a quiet machine: how many more is a matter of its speed.
    #expect(try #require(Int(survived.1)) >= 5, "\(ended.page)")
  }
}
