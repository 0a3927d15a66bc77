package import Domain
package import Time

/// The state of a delivery in its block: one byte of `block_states.states`. Table `block_codes` defines the same values
/// for SQL.
package enum BlockState: UInt8, CaseIterable, Sendable {
  /// The delivery is in progress.
  case open = 0
  /// The push network accepted the push at the first try.
  case accepted = 1
  /// The outcome, or the deferral, is in the delivery's row in `outcomes`.
  case hasRow = 2
  // States of deliveries that ended without being sent. SQL that counts states requires all values to be below 16.
  case gone = 3
  case rebound = 4
  case quarantine = 5
  case noConsent = 6
  case noProvider = 7
  case noToken = 8
  case unproved = 9
  case expired = 10
  /// The delivery is deferred and was never tried; the due time and the reason are in `Waits`.
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

  /// Creates the state that fully represents an outcome or a deferral. Returns nil if there is none, because the
  /// delivery was tried before, or because of an unusual status or reason; the record then needs a row.
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

  /// All states of ended deliveries without rows, with the outcomes that they represent; `accepted`, the most frequent,
  /// is the first.
  private static let ends = allCases.compactMap { state in state.outcome.map { (state: state, end: $0) } }
}

/// The states of a block's deliveries, one byte each.
package struct BlockStates: Equatable, Sendable {
  /// How an outcome or a deferral was recorded.
  package enum Verdict: Equatable, Sendable {
    /// The outcome or deferral was recorded in the block and needs no row. An outcome must now be added to the totals.
    case taken
    /// Nothing was recorded: the delivery had ended before, or was to be deferred and is deferred already.
    case late
    /// The outcome or deferral needs a row, or the delivery has one already. The position is marked `hasRow`.
    case row
  }

  package private(set) var bytes: [UInt8]
  /// When the accepted deliveries without rows were accepted, to within a minute; nil if there are none.
  package private(set) var acceptedAt: Timestamp?
  /// When the deliveries without rows that were never sent ended, to within a minute, which is often hours before
  /// `acceptedAt`; nil if there are none.
  package private(set) var leftOutAt: Timestamp?

  /// Maximum difference between a delivery's end and `acceptedAt` or `leftOutAt`; above it, the delivery needs a row.
  private static let mostApart: Duration = .seconds(60)

  package init(bytes: [UInt8], acceptedAt: Timestamp?, leftOutAt: Timestamp?) {
    self.bytes = bytes
    self.acceptedAt = acceptedAt
    self.leftOutAt = leftOutAt
  }

  package subscript(position: Int) -> BlockState { BlockState(rawValue: bytes[position]) ?? .hasRow }

  /// Returns when the deliveries in a final state ended, to within a minute: `acceptedAt`, or `leftOutAt` for all other
  /// final states together; nil if there are none. Meaningless for `open`, `waits` and `hasRow`.
  package func endedAt(_ state: BlockState) -> Timestamp? { state == .accepted ? acceptedAt : leftOutAt }

  /// Records that a delivery has ended or is deferred. The first delivery that ends sets the block's `acceptedAt` or
  /// `leftOutAt`; one that ends more than a minute from that time needs a row.
  /// - Parameters:
  ///   - position: the delivery's position in the block, which must exist.
  ///   - end: the state that fully represents the outcome or deferral; nil if it needs a row.
  ///   - now: when the delivery ended; not used for a deferral.
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

  /// Marks a deferred delivery (`waits`) as in progress. Returns false, without an effect, if it is in another state.
  package mutating func takeUp(_ position: Int) -> Bool {
    guard self[position] == .waits else { return false }
    bytes[position] = BlockState.open.rawValue
    return true
  }
}
