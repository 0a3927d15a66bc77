import Testing

@testable import Postgres

@Suite struct PipelineStateMachineTests {
  private func idle() -> PipelineStateMachine {
    var machine = PipelineStateMachine()
    _ = machine.start()
    _ = machine.connected()
    _ = machine.synchronized(.idle)
    return machine
  }

  @Test func `it connects, settles and is idle`() {
    var machine = PipelineStateMachine()
    #expect(machine.start() == .connect(attempt: 0))
    #expect(machine.submissionWaits() == .none)
    #expect(machine.connected() == .sendSettings)
    #expect(machine.submissionWaits() == .none)
    #expect(machine.synchronized(.idle) == .sendNext)
    #expect(machine.state == .idle)
  }

  @Test func `one submission runs at a time`() {
    var machine = idle()
    #expect(machine.submissionWaits() == .sendNext)
    #expect(machine.submissionWaits() == .none)
    #expect(machine.synchronized(.idle) == .complete)
    #expect(machine.submissionWaits() == .sendNext)
  }

  @Test(arguments: [TransactionStatus.open, .failed])
  func `a transaction left behind is rolled back first`(status: TransactionStatus) {
    var machine = idle()
    _ = machine.submissionWaits()
    #expect(machine.synchronized(status) == .rollBackAndComplete)
    #expect(machine.submissionWaits() == .none)
    #expect(machine.synchronized(.idle) == .sendNext)
  }

  @Test func `a session that cannot be rolled back is abandoned`() {
    var machine = idle()
    _ = machine.submissionWaits()
    _ = machine.synchronized(.failed)
    #expect(machine.synchronized(.failed) == .abandonSession)
    #expect(machine.lost() == .failInFlight(pauseForAttempt: 0))
  }

  @Test func `attempts that fail are counted until one succeeds`() {
    var machine = PipelineStateMachine()
    _ = machine.start()
    #expect(machine.lost() == .failWaiting(pauseForAttempt: 1))
    #expect(machine.lost() == .none)
    #expect(machine.paused() == .connect(attempt: 1))
    #expect(machine.connected() == .sendSettings)
    #expect(machine.lost() == .failWaiting(pauseForAttempt: 2))
    #expect(machine.paused() == .connect(attempt: 2))
    #expect(machine.connected() == .sendSettings)
    #expect(machine.synchronized(.idle) == .sendNext)
    #expect(machine.lost() == .failInFlight(pauseForAttempt: 0))
  }

  @Test func `once closed, nothing happens any more`() {
    var machine = idle()
    #expect(machine.close() == .end)
    #expect(machine.close() == .none)
    #expect(machine.lost() == .none)
    #expect(machine.paused() == .none)
    #expect(machine.submissionWaits() == .none)
  }
}

@Suite struct ReconnectPauseTests {
  @Test func `it doubles from 50 ms to 5 s`() {
    let lengths = (0...9).map { ReconnectPause.length(attempt: $0, jitter: 0) }
    #expect(lengths.prefix(4) == [.milliseconds(50), .milliseconds(100), .milliseconds(200), .milliseconds(400)])
    #expect(lengths[6] == .milliseconds(3200))
    #expect(lengths.suffix(3) == [.seconds(5), .seconds(5), .seconds(5)])
  }

  @Test func `jitter takes off at most a quarter, never below the minimum`() {
    #expect(ReconnectPause.length(attempt: 9, jitter: 1) == .milliseconds(3750))
    #expect(ReconnectPause.length(attempt: 0, jitter: 1) == .milliseconds(50))
  }
}
