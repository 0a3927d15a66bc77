/// What a pipelined connection does next. Pure: events in, one action out; no socket, clock or callback.
struct PipelineStateMachine {
  enum State: Equatable {
    /// Lost, or never connected; pausing. `attempt` counts failures in a row.
    case waiting(attempt: Int)
    /// libpq is connecting. `attempt` as above.
    case connecting(attempt: Int)
    /// Connected; the session's settings are on their way.
    case settling(attempt: Int)
    /// A submission can be sent at once.
    case idle
    /// A submission is on its way or being answered.
    case running
    /// The last submission left a transaction open; our ROLLBACK is on its way.
    case rollingBack
    /// Ended by the owner, for good.
    case closed
  }

  enum Action: Equatable {
    case none
    case connect(attempt: Int)
    case sendSettings
    /// Send the submission that waits longest, if any.
    case sendNext
    /// The submission in flight is over: deliver what it gave, then send the next.
    case complete
    /// The submission in flight is over, but it left a transaction open: send ROLLBACK, deliver, keep the rest waiting.
    case rollBackAndComplete
    /// Drop the session, fail what is in flight, and ask again (`paused`) after the pause for this attempt.
    case failInFlight(pauseForAttempt: Int)
    /// Drop the session, fail all that waits (nothing of it was sent), and pause.
    case failWaiting(pauseForAttempt: Int)
    /// The session is beyond use though the socket is not.
    case abandonSession
    /// Drop everything.
    case end
  }

  private(set) var state: State = .waiting(attempt: 0)

  mutating func start() -> Action {
    guard state == .waiting(attempt: 0) else { return .none }
    state = .connecting(attempt: 0)
    return .connect(attempt: 0)
  }

  /// libpq has connected.
  mutating func connected() -> Action {
    guard case .connecting(let attempt) = state else { return .none }
    state = .settling(attempt: attempt)
    return .sendSettings
  }

  /// A submission waits. The caller sends it when this says so; the state is then `running`.
  mutating func submissionWaits() -> Action {
    guard state == .idle else { return .none }
    state = .running
    return .sendNext
  }

  /// The answer has come to its synchronisation point.
  /// - Parameter keepsOpen: the submission meant to leave a transaction open: the next one goes on with it.
  mutating func synchronized(_ transaction: TransactionStatus, keepsOpen: Bool = false) -> Action {
    switch (state, transaction) {
    case (.running, .open) where keepsOpen:
      state = .idle
      return .complete
    case (.running, .idle):
      state = .idle
      return .complete
    case (.running, .open), (.running, .failed):
      state = .rollingBack
      return .rollBackAndComplete
    case (.rollingBack, .idle), (.settling, .idle):
      state = .idle
      return .sendNext
    default:
      // A session that cannot be brought back to idle is of no use.
      return .abandonSession
    }
  }

  /// The connection is gone, or could not be made.
  mutating func lost() -> Action {
    switch state {
    case .connecting(let attempt), .settling(let attempt):
      state = .waiting(attempt: attempt + 1)
      return .failWaiting(pauseForAttempt: attempt + 1)
    case .idle, .running, .rollingBack:
      state = .waiting(attempt: 0)
      return .failInFlight(pauseForAttempt: 0)
    case .waiting, .closed:
      return .none
    }
  }

  /// The pause is over.
  mutating func paused() -> Action {
    guard case .waiting(let attempt) = state else { return .none }
    state = .connecting(attempt: attempt)
    return .connect(attempt: attempt)
  }

  mutating func close() -> Action {
    guard state != .closed else { return .none }
    state = .closed
    return .end
  }
}
