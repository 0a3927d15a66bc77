package import Domain
package import Time

/// The state of a delivery in its block: one byte of `block_states.states`. Table `block_codes` defines the same values
/// for SQL.
package enum BlockState: UInt8, CaseIterable, Sendable {
  /// The delivery is in progress.
  case open = 0
  /// The push network accepted it at the first try.
  case accepted = 1
  /// The outcome is in the delivery's row in `outcomes`.
  case hasRow = 2
  // States of deliveries that ended without being sent. All values are below 16, which SQL that counts states relies
  // on.
  case gone = 3
  case rebound = 4
  case quarantine = 5
  case noConsent = 6
  case noProvider = 7
  case noToken = 8
  case unproved = 9
  case expired = 10
  /// Deferred before its first try; `Waits` holds the reason.
  case waits = 11
  case cancelled = 12

  /// The outcome that the state stands for; nil if the delivery has not ended or has a row.
  package var outcome: (status: OutcomeStatus, attempts: Int16, reason: String?)? {
    switch self {
    case .open, .hasRow, .waits: nil
    case .accepted: (.accepted, 1, nil)
    case .gone: (.skipped, 0, SkipReason.gone.rawValue)
    case .rebound: (.skipped, 0, SkipReason.rebound.rawValue)
    case .quarantine: (.skipped, 0, SkipReason.quarantine.rawValue)
    case .noConsent: (.skipped, 0, SkipReason.consent.rawValue)
    case .noProvider: (.skipped, 0, SkipReason.noProvider.rawValue)
    case .noToken: (.skipped, 0, SkipReason.noToken.rawValue)
    case .unproved: (.skipped, 0, SkipReason.unproved.rawValue)
    case .expired: (.expired, 0, "expired")
    case .cancelled: (.cancelled, 0, OutcomeStatus.cancelled.name)
    }
  }

  /// The state that fully represents an outcome; nil if the outcome needs a row.
  package init?(_ record: Outcomes.Record) {
    if record.status == .deferred, record.attempts == 0, record.dueAt != nil, record.reason != nil {
      self = .waits
      return
    }
    let found = Self.ends.first { _, end in
      end.status == record.status && Tries(end.attempts) == record.attempts && end.reason == record.reason
    }
    guard let found else { return nil }
    self = found.state
  }

  /// All final states, the most frequent first.
  private static let ends = allCases.compactMap { state in state.outcome.map { (state: state, end: $0) } }
}

/// The states of a block's deliveries, one byte each.
package struct BlockStates: Equatable, Sendable {
  /// How an outcome was recorded.
  package enum Verdict: Equatable, Sendable {
    /// The outcome was recorded in the block and changes the totals.
    case taken
    /// The delivery had already ended.
    case late
    /// The outcome cannot be recorded in the block and needs a row.
    case row
  }

  package private(set) var bytes: [UInt8]
  /// When the accepted deliveries without rows were accepted.
  package private(set) var acceptedAt: Timestamp?
  /// When the deliveries without rows that were never sent ended; often hours earlier.
  package private(set) var leftOutAt: Timestamp?

  /// Maximum difference between a delivery's end and the block's time for which it needs no row.
  private static let mostApart: Duration = .seconds(60)

  package init(bytes: [UInt8], acceptedAt: Timestamp?, leftOutAt: Timestamp?) {
    self.bytes = bytes
    self.acceptedAt = acceptedAt
    self.leftOutAt = leftOutAt
  }

  package subscript(position: Int) -> BlockState { BlockState(rawValue: bytes[position]) ?? .hasRow }

  /// Returns when a delivery in this state ended.
  package func endedAt(_ state: BlockState) -> Timestamp? { state == .accepted ? acceptedAt : leftOutAt }

  /// Records that a delivery has ended or is deferred.
  /// - Parameters:
  ///   - position: the delivery's position in the block.
  ///   - end: the state that fully represents the outcome; nil if it needs a row.
  ///   - now: when it ended.
  package mutating func settle(_ position: Int, as end: BlockState?, at now: Timestamp) -> Verdict {
    switch self[position] {
    case .hasRow: return .row
    case .waits where end == .waits: return .late
    case .open, .waits: break
    default: return .late
    }
    guard let end, end == .waits || endedAt(end).map({ isNear($0, now) }) ?? true else {
      bytes[position] = BlockState.hasRow.rawValue
      return .row
    }
    bytes[position] = end.rawValue
    switch end {
    case .waits: break
    case .accepted: acceptedAt = acceptedAt ?? now
    default: leftOutAt = leftOutAt ?? now
    }
    return .taken
  }

  private func isNear(_ end: Timestamp, _ now: Timestamp) -> Bool {
    max(end, now) - min(end, now) <= Self.mostApart
  }

  /// Marks a deferred delivery as in progress. Returns false if it was not deferred.
  package mutating func takeUp(_ position: Int) -> Bool {
    guard self[position] == .waits else { return false }
    bytes[position] = BlockState.open.rawValue
    return true
  }
}
