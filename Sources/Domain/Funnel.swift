/// The numbers of one message. `targeted = pending + accepted + rejected + expired + cancelled + skipped`, always:
/// pending is what is not yet decided.
package struct Funnel: Equatable, Sendable {
  package var seqno: Int64
  /// Whose message it is, when it was asked for (microseconds since 1970), and its alert: JSON as in the request; nil when
  /// it has none, or is so large that nobody reads it for this.
  package var appID = ""
  package var createdAt: Int64 = 0
  package var alert: String?
  /// What it says is sealed, and shown to nobody.
  package var isConfidential = false
  package var state: MessageState
  /// Nil until the audience has been counted.
  package var targeted: Int64?
  package var accepted: Int64 = 0
  package var rejected: Int64 = 0
  package var expired: Int64 = 0
  package var cancelled: Int64 = 0
  package var skipped: Int64 = 0
  package var received: Int64 = 0
  package var read: Int64 = 0
  /// Submissions whose answer never came.
  package var unknown: Int64 = 0
  /// Submissions beyond the first.
  package var resent: Int64 = 0
  /// Count by reason, for everything that was not accepted.
  package var reasons: [String: Int64] = [:]
  /// Why it is paused or has failed, in words.
  package var stateReason: String?
  /// The message that this one repeats for some of its devices.
  package var resendOf: Int64?
  /// When it is (or was) due, microseconds since 1970; nil: at once.
  package var dueAt: Int64?
  /// What the sender wants to find again, and the device that sent it: JSON as in the request; nil when absent.
  package var reference: String?
  package var origin: String?

  package init(seqno: Int64, state: MessageState, targeted: Int64?) {
    self.seqno = seqno
    self.state = state
    self.targeted = targeted
  }

  package var decided: Int64 { accepted + rejected + expired + cancelled + skipped }
  package var pending: Int64? { targeted.map { $0 - decided } }
}

/// Where a message stands. Raw values are stored.
package enum MessageState: Int16, CaseIterable, Sendable {
  case scheduled = 0
  case queued = 1
  case sending = 2
  case paused = 3
  case completed = 4
  case cancelled = 5
  case expired = 6
  case failed = 7

  package var isFinal: Bool { rawValue >= Self.completed.rawValue }

  package var name: String {
    switch self {
    case .scheduled: "scheduled"
    case .queued: "queued"
    case .sending: "sending"
    case .paused: "paused"
    case .completed: "completed"
    case .cancelled: "cancelled"
    case .expired: "expired"
    case .failed: "failed"
    }
  }
}

/// How urgent a message is: each lane has its own share of everything. Raw values are stored; lower goes first.
package enum Lane: Int16, CaseIterable, Sendable {
  case urgent = 0
  case normal = 1
  case bulk = 2

  package var name: String {
    switch self {
    case .urgent: "urgent"
    case .normal: "normal"
    case .bulk: "bulk"
    }
  }

  package init?(name: String) {
    guard let lane = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = lane
  }
}

/// What to do when a submission's answer never came. Raw values are stored.
package enum UnknownPolicy: Int16, Sendable {
  /// Send again with the same ids: at least once.
  case resend = 0
  /// Leave it: at most once.
  case skip = 1
}
