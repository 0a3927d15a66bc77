/// State machine of a pipelined connection, without I/O: each method handles an event and returns the action to
/// perform. An event that does not fit the state has no effect, unless its method says otherwise.
struct PipelineStateMachine {
  enum State: Equatable {
    /// Not connected: not started, or pausing before the next attempt. `attempt` counts consecutive failed attempts.
    case waiting(attempt: Int)
    /// libpq is connecting.
    case connecting(attempt: Int)
    /// Connected; waiting for the session's settings to be applied.
    case settling(attempt: Int)
    /// Connected, with nothing in flight; a transaction is open if the last submission was meant to leave it open.
    case idle
    /// A submission has been sent and awaits its results.
    case running
    /// The last submission left a transaction open; waiting for the result of our ROLLBACK.
    case rollingBack
    /// Closed permanently by the owner.
    case closed
  }

  enum Action: Equatable {
    case none
    case connect(attempt: Int)
    case sendSettings
    /// Send the oldest waiting submission, if any.
    case sendNext
    /// The submission in flight is complete: send the next one and deliver the result.
    case complete
    /// The submission in flight is complete but has left a transaction open: send ROLLBACK and deliver the result. The
    /// waiting submissions keep waiting.
    case rollBackAndComplete
    /// Drop the session, fail the submission in flight, and call `paused` after the pause for this attempt.
    case failInFlight(pauseForAttempt: Int)
    /// Drop the session, fail all waiting submissions (none of which was sent), and call `paused` after the pause.
    case failWaiting(pauseForAttempt: Int)
    /// The socket is intact but the session is unusable: drop it and connect again.
    case abandonSession
    /// Drop the session and fail all submissions.
    case end
  }

  private(set) var state: State = .waiting(attempt: 0)

  mutating func start() -> Action {
    guard state == .waiting(attempt: 0) else { return .none }
    state = .connecting(attempt: 0)
    return .connect(attempt: 0)
  }

  /// Handles a connection established by libpq.
  mutating func connected() -> Action {
    guard case .connecting(let attempt) = state else { return .none }
    state = .settling(attempt: attempt)
    return .sendSettings
  }

  /// Handles a newly queued submission. If the connection is idle, returns `sendNext` and becomes `running`.
  mutating func submissionWaits() -> Action {
    guard state == .idle else { return .none }
    state = .running
    return .sendNext
  }

  /// Handles the arrival of all results up to the synchronization point. Returns `abandonSession`, leaving the state
  /// unchanged, if the transaction status does not fit the state.
  /// - Parameters:
  ///   - transaction: transaction status of the session now.
  ///   - keepsOpen: true if the submission was meant to leave a transaction open for the next one.
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
      // The session does not return to idle and cannot be used any more.
      return .abandonSession
    }
  }

  /// Handles a lost connection or a failed attempt to connect.
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

  /// Handles the end of the pause.
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
