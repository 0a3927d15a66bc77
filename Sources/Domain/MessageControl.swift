/// An operator's commands for a message in progress.
package enum MessageControl: String, CaseIterable, Sendable {
  case pause
  case resume
  case cancel

  /// The message's state before the command.
  package struct Standing: Equatable, Sendable {
    package let state: MessageState
    /// Its cancellation has begun: claimed deliveries are still coming back.
    package let isCancelling: Bool
    /// Its audience is frozen: planning has begun.
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
    /// Nothing more is claimed; the message becomes cancelled when its last delivery is decided.
    case beginCancelling
    /// The command changes nothing: the message is already in that state.
    case nothing
    case refuse
  }

  /// Returns what the command does in a given state. Pure.
  package func effect(on standing: Standing) -> Effect {
    switch (self, standing.state) {
    case (.cancel, .cancelled): return .nothing
    case (.cancel, .scheduled), (.cancel, .queued), (.cancel, .sending), (.cancel, .paused):
      return standing.isCancelling ? .nothing : .beginCancelling
    case _ where standing.isCancelling: return .refuse
    case (.pause, .queued), (.pause, .sending): return .become(.paused)
    case (.pause, .paused): return .nothing
    case (.resume, .paused):
      switch standing.hold {
      case .none: return .become(standing.isFrozen ? .sending : .queued)
      case .uncounted: return .become(.queued)
      case .waiting: return .refuse
      }
    case (.resume, .queued), (.resume, .sending): return .nothing
    default: return .refuse
    }
  }
}

/// Which recipients of an earlier message a new one is for. Raw values are stored.
package enum ResendTarget: Int16, CaseIterable, Sendable {
  /// Rejected, expired or skipped.
  case failed = 0
  /// Accepted by the network, without a receipt.
  case notReceived = 1
  /// Accepted by the network, without a read.
  case notRead = 2
  /// Failed, for a message that left out some (or all) recipients as late: they are not recorded, so this is everyone
  /// in its audience whom it has not reached.
  case unreached = 3

  /// Those that a request may name.
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
