import Testing

@testable import Domain

@Suite struct CanaryTests {
  /// Of a hundred devices.
  private func judge(
    _ accepted: Int64, _ rejected: Int64, skipped: Int64 = 0, limit: Int64 = 10, isOver: Bool
  ) -> Canary.Verdict {
    Canary.judge(
      open: 100 - accepted - rejected - skipped, accepted: accepted, rejected: rejected, maxRejectedPercent: limit,
      isOver: isOver)
  }

  private func isStop(_ verdict: Canary.Verdict) -> Bool {
    if case .stop = verdict { true } else { false }
  }

  @Test func `as many rejected as allowed pass when the time is over, one more stops`() {
    #expect(judge(90, 10, isOver: true) == .pass)
    #expect(isStop(judge(89, 11, isOver: true)))
  }

  @Test func `nothing passes before its time`() {
    #expect(judge(100, 0, isOver: false) == .wait)
    #expect(judge(0, 0, isOver: false) == .wait)
    #expect(judge(5, 10, isOver: false) == .wait)
  }

  @Test func `too many for the whole canary stop it before its time`() {
    #expect(isStop(judge(0, 11, isOver: false)))
  }

  @Test func `of few answers the share counts, when the time is over`() {
    #expect(isStop(judge(5, 1, isOver: true)))
    #expect(judge(20, 2, isOver: true) == .pass)
  }

  @Test func `without any answer the look goes on`() {
    #expect(judge(0, 0, isOver: true) == .wait)
  }

  @Test func `a canary of which nobody can get anything is replaced at once, by whoever comes next`() {
    #expect(judge(0, 0, skipped: 100, isOver: false) == .replace)
    #expect(judge(0, 0, skipped: 99, isOver: true) == .wait)
    #expect(judge(1, 0, skipped: 99, isOver: false) == .wait)
    #expect(judge(1, 0, skipped: 99, isOver: true) == .pass)
  }

  @Test func `who was skipped does not make the share of the rejected smaller`() {
    #expect(isStop(judge(0, 6, skipped: 50, isOver: false)))
  }

  @Test func `a limit of none stops at the first`() {
    #expect(isStop(judge(50, 1, limit: 0, isOver: false)))
    #expect(judge(50, 0, limit: 0, isOver: true) == .pass)
  }

  @Test func `the reason says how many`() {
    #expect(
      judge(60, 40, isOver: true)
        == .stop(reason: "The canary stopped it: 40 of 100 were rejected, more than 10 percent."))
  }
}
