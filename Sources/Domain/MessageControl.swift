/// What an operator may do to a message on its way.
package enum MessageControl: String, CaseIterable, Sendable {
  case pause
  case resume
  case cancel

  /// How a message stands before it is touched.
  package struct Standing: Equatable, Sendable {
    package let state: MessageState
    /// Its cancellation has begun: what was claimed is on its way back.
    package let isCancelling: Bool
    /// Its audience is frozen: the planner has begun.
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
    /// Nothing more is claimed; when the last delivery is decided, the message is cancelled.
    case beginCancelling
    /// It stands so already: repeating changes nothing.
    case nothing
    case refuse
  }

  /// The table of what may be done when. Pure.
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

/// Which deliveries of a message a new one is for. Raw values are stored.
package enum ResendTarget: Int16, CaseIterable, Sendable {
  /// Rejected, expired or skipped.
  case failed = 0
  /// Accepted by the network, and no receipt.
  case notReceived = 1
  /// Accepted by the network, and not read.
  case notRead = 2
  /// Failed, of a message of which some (or all) were left out as late: nobody has written down who they are, so it is
  /// everyone of its audience whom it has not reached.
  case unreached = 3

  /// Those that may be asked for.
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
