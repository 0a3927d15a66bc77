import Testing

@testable import Domain

@Suite struct FunnelTests {
  @Test func `pending is what is not decided, unknown until counted`() {
    var funnel = Funnel(seqno: Seqno(1), state: .sending, targeted: 20)
    (funnel.accepted, funnel.rejected, funnel.expired, funnel.cancelled, funnel.skipped) = (5, 4, 3, 2, 1)
    #expect(funnel.decided == 15)
    #expect(funnel.pending == 5)
    funnel.targeted = nil
    #expect(funnel.pending == nil)
  }

  @Test func `four states are final`() {
    #expect(MessageState.allCases.filter(\.isFinal) == [.completed, .cancelled, .expired, .failed])
  }

  @Test func `lanes are named`() {
    for lane in Lane.allCases { #expect(Lane(name: lane.name) == lane) }
    #expect(Lane(name: "fast") == nil)
  }
}
