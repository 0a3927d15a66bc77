package import Time

/// The totals of one message. Invariant, as soon as `targeted` is known: `targeted = pending + accepted + rejected +
/// expired + cancelled + skipped`, where pending are the deliveries without a final outcome.
package struct Funnel: Equatable, Sendable {
  package var seqno: Seqno
  /// The app's APP_ID.
  package var appID = ""
  /// Time at which the message was created.
  package var createdAt: Timestamp = .zero
  /// The message's default alert as JSON, as in the request; nil if it has none, is confidential, or its request is too
  /// large for lists.
  package var alert: String?
  /// True if the message's content is encrypted and never shown.
  package var isConfidential = false
  package var state: MessageState
  /// Number of devices in the audience; nil until they have been counted.
  package var targeted: Int64?
  package var accepted: Int64 = 0
  package var rejected: Int64 = 0
  package var expired: Int64 = 0
  package var cancelled: Int64 = 0
  package var skipped: Int64 = 0
  package var received: Int64 = 0
  package var read: Int64 = 0
  /// Number of submissions to push networks that were never answered.
  package var unknown: Int64 = 0
  /// Number of submissions beyond the first of each delivery.
  package var resent: Int64 = 0
  /// Number of deliveries that ended without being accepted, by reason.
  package var reasons: [String: Int64] = [:]
  /// The reason why the message is paused or has failed, as a sentence; nil in other states, or if no reason was
  /// recorded.
  package var stateReason: String?
  /// SEQNO of the message that this one resends; nil if none.
  package var resendOf: Seqno?
  /// Time at which the message is (or was) due; nil for immediately.
  package var dueAt: Timestamp?
  /// The sender's own reference (`SenderReference`): JSON as in the request; nil if absent.
  package var reference: String?
  /// The device that sent the message (`SenderDevice`): JSON as in the request; nil if it was not sent by a device.
  package var origin: String?

  package init(seqno: Seqno, state: MessageState, targeted: Int64?) {
    self.seqno = seqno
    self.state = state
    self.targeted = targeted
  }

  package var decided: Int64 { accepted + rejected + expired + cancelled + skipped }
  package var pending: Int64? { targeted.map { $0 - decided } }
}

/// State of a message. The raw values are stored in the database.
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

/// Priority of a message. Each lane has its own share of every resource. The raw values are stored in the database;
/// lower ones are served first.
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

/// The handling of a submission that was never answered. The raw values are stored in the database.
package enum UnknownPolicy: Int16, Sendable {
  /// Submit again with the same ids: at-least-once delivery.
  case resend = 0
  /// Do not submit again: at-most-once delivery.
  case skip = 1
}
