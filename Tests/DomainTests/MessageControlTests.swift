import Testing

@testable import Domain

@Suite struct MessageControlTests {
  private func effect(
    _ control: MessageControl, _ state: MessageState, cancelling: Bool = false, frozen: Bool = true
  ) -> MessageControl.Effect {
    control.effect(on: MessageControl.Status(state: state, isCancelling: cancelling, isFrozen: frozen))
  }

  @Test func `the whole table`() {
    let table: [(MessageState, MessageControl.Effect, MessageControl.Effect, MessageControl.Effect)] = [
      // state, pause, resume, cancel
      (.scheduled, .refuse, .refuse, .beginCancelling),
      (.queued, .become(.paused), .nothing, .beginCancelling),
      (.sending, .become(.paused), .nothing, .beginCancelling),
      (.paused, .nothing, .become(.sending), .beginCancelling),
      (.completed, .refuse, .refuse, .refuse),
      (.cancelled, .refuse, .refuse, .nothing),
      (.expired, .refuse, .refuse, .refuse),
      (.failed, .refuse, .refuse, .refuse),
    ]
    #expect(table.map(\.0) == MessageState.allCases)
    for (state, pause, resume, cancel) in table {
      #expect(effect(.pause, state) == pause, "pause \(state)")
      #expect(effect(.resume, state) == resume, "resume \(state)")
      #expect(effect(.cancel, state) == cancel, "cancel \(state)")
    }
  }

  @Test func `what was paused before its audience was frozen is queued again`() {
    #expect(effect(.resume, .paused, frozen: false) == .become(.queued))
  }

  @Test func `what is being cancelled cannot be stopped, and cancelling it again changes nothing`() {
    #expect(effect(.pause, .paused, cancelling: true) == .refuse)
    #expect(effect(.resume, .paused, cancelling: true) == .refuse)
    #expect(effect(.cancel, .paused, cancelling: true) == .nothing)
  }

  @Test func `targets of a resend have names`() {
    #expect(ResendTarget.allCases.map(\.name) == ["failed", "not-received", "not-read"])
    #expect(ResendTarget.allCases.map { ResendTarget(name: $0.name) } == ResendTarget.allCases)
    #expect(ResendTarget(name: "all") == nil)
  }
}
