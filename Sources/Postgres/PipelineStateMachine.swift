/// Decides what a pipelined connection does next. Pure: events in, one action out; no socket, clock or callback.
struct PipelineStateMachine {
  enum State: Equatable {
    /// Lost, or never connected; pausing. `attempt` counts consecutive failures.
    case waiting(attempt: Int)
    /// libpq is connecting. `attempt` as above.
    case connecting(attempt: Int)
    /// Connected; the session's settings have been sent.
    case settling(attempt: Int)
    /// A submission can be sent at once.
    case idle
    /// A submission is being sent or answered.
    case running
    /// The last submission left a transaction open; our ROLLBACK has been sent.
    case rollingBack
    /// Closed by the owner, for good.
    case closed
  }

  enum Action: Equatable {
    case none
    case connect(attempt: Int)
    case sendSettings
    /// Send the submission that has waited longest, if any.
    case sendNext
    /// The submission in flight is complete: deliver its result, then send the next.
    case complete
    /// The submission in flight is complete but left a transaction open: send ROLLBACK, deliver, keep the others
    /// waiting.
    case rollBackAndComplete
    /// Drop the session, fail what is in flight, and call `paused` after the pause for this attempt.
    case failInFlight(pauseForAttempt: Int)
    /// Drop the session, fail all waiting submissions (nothing of them was sent), and pause.
    case failWaiting(pauseForAttempt: Int)
    /// The session is unusable although the socket is not.
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

  /// A submission is waiting. The caller sends it if told so; the state is then `running`.
  mutating func submissionWaits() -> Action {
    guard state == .idle else { return .none }
    state = .running
    return .sendNext
  }

  /// The answer has reached its synchronisation point.
  /// - Parameter keepsOpen: the submission is meant to leave a transaction open, which the next one continues.
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
      // A session that does not return to idle is useless.
      return .abandonSession
    }
  }

  /// The connection is lost, or could not be made.
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
