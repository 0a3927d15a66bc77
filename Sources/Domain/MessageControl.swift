/// An operator's commands for a message that has not ended.
package enum MessageControl: String, CaseIterable, Sendable {
  case pause
  case resume
  case cancel

  /// The state of the message to which a command is applied.
  package struct Status: Equatable, Sendable {
    package let state: MessageState
    /// True if the message is being cancelled: nothing more is claimed, and the results of claimed deliveries are
    /// awaited.
    package let isCancelling: Bool
    /// True if the message's audience is frozen, because planning has begun.
    package let isFrozen: Bool
    package let hold: MessageHold

    package init(state: MessageState, isCancelling: Bool, isFrozen: Bool, hold: MessageHold = .none) {
      self.hold = hold
      self.state = state
      self.isCancelling = isCancelling
      self.isFrozen = isFrozen
    }
  }

  package enum Effect: Equatable, Sendable {
    case become(MessageState)
    /// Stop claiming deliveries; the message becomes cancelled when its last delivery has an outcome.
    case beginCancelling
    /// Do nothing, because the message is in the requested state already or on its way to it.
    case nothing
    case refuse
  }

  /// Returns the effect of the command on a message in a given state. Refuses every command if the message has ended,
  /// except `cancel` if it was cancelled; every command except `cancel` before the message is due and while it is being
  /// cancelled; and `resume` while a paused message waits for approval.
  package func effect(on status: Status) -> Effect {
    switch (self, status.state) {
    case (.cancel, .cancelled): return .nothing
    case (.cancel, .scheduled), (.cancel, .queued), (.cancel, .sending), (.cancel, .paused):
      return status.isCancelling ? .nothing : .beginCancelling
    case _ where status.isCancelling: return .refuse
    case (.pause, .queued), (.pause, .sending): return .become(.paused)
    case (.pause, .paused): return .nothing
    case (.resume, .paused):
      switch status.hold {
      case .none: return .become(status.isFrozen ? .sending : .queued)
      case .uncounted: return .become(.queued)
      case .waiting: return .refuse
      }
    case (.resume, .queued), (.resume, .sending): return .nothing
    default: return .refuse
    }
  }
}

/// The recipients of an earlier message to whom the message is sent again. The raw values are stored in the database.
package enum ResendTarget: Int16, CaseIterable, Sendable {
  /// Recipients whose delivery was rejected, expired or skipped.
  case failed = 0
  /// Recipients whose push the network accepted, but who sent no receipt.
  case notReceived = 1
  /// Recipients whose push the network accepted, but who have not read it.
  case notRead = 2
  /// Everyone in the audience whom the message has not reached. Used instead of `failed` for a message that skipped
  /// recipients because it was too late, since those recipients are not recorded individually.
  case unreached = 3

  /// The targets that a request can name; excludes `unreached`.
  package static let allCases: [ResendTarget] = [.failed, .notReceived, .notRead]

  package var name: String {
    switch self {
    case .failed: "failed"
    case .notReceived: "not-received"
    case .notRead: "not-read"
    case .unreached: "unreached"
    }
  }

  package init?(name: String) {
    guard let target = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = target
  }
}
