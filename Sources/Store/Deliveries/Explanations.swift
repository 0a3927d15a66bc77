package import Domain
internal import Postgres
package import Time

/// Reads what is stored about one message and one user, to explain what happened. Every query uses an index.
package enum Explanations {
  package struct Message: Sendable {
    package let app: App.Number
    package let state: MessageState
    package let createdAt: Timestamp
    package let dueAt: Timestamp?
    package let frozenAt: Timestamp?
    package let finishedAt: Timestamp?
    package let expiresAt: Timestamp
    package let isCancelling: Bool
    package let stateReason: String?
    package let targeted: Int64?
    package let apiKeyName: String?
    package let pausedReason: String?
    package let request: [UInt8]
    /// False if the delivery history is not kept any more.
    package var isKept = true
  }

  private static let messageStatement = Statement(
    "explanations-message",
    """
    SELECT m.app, m.state, m.created_at, m.due_at, m.frozen_at, m.finished_at, m.expires_at, m.cancelled_at IS NOT NULL,
      m.state_reason, m.targeted, k.name, a.paused_reason, m.request::text,
      \(HistoryRanges.isKept)
    FROM messages m JOIN apps a ON a.app = m.app LEFT JOIN api_keys k ON k.api_key = m.api_key WHERE m.seqno = $1
    """)

  package static func message(_ seqno: Seqno) -> Query<Message?> {
    Query(first: messageStatement, seqno) { row in
      Message(
        app: row.int32(), state: MessageState(rawValue: row.int16()) ?? .queued, createdAt: row.timestamp(),
        dueAt: row.optionalTimestamp(), frozenAt: row.optionalTimestamp(), finishedAt: row.optionalTimestamp(),
        expiresAt: row.timestamp(), isCancelling: row.bool(), stateReason: row.optionalText(),
        targeted: row.optionalInt64(), apiKeyName: row.optionalText(), pausedReason: row.optionalText(),
        request: row.bytes(), isKept: row.bool())
    }
  }

  package struct Delivery: Sendable {
    package let device: DeviceID
    package let status: OutcomeStatus
    package let attempts: Int16
    package let reason: String?
    package let at: Timestamp
    package let dueAt: Timestamp?
    package let receivedAt: Timestamp?
    package let readAt: Timestamp?
  }

  private static let deliveriesStatement = Statement(
    "explanations-deliveries",
    """
    SELECT o.device, o.status, abs(o.attempts), o.reason, o.at, o.due_at,
      delivery_confirmed($1, o.device, $3, false), delivery_confirmed($1, o.device, $3, true)
    FROM (
      SELECT device, status, attempts, reason, at, due_at FROM outcomes
      WHERE seqno = $1 AND device = ANY($2) AND user_key = $3
      UNION
      -- What went to a device that belongs to somebody else by now: looked for only where few have to be looked at.
      SELECT device, status, attempts, reason, at, due_at FROM outcomes WHERE $4 AND seqno = $1 AND user_key = $3
      UNION ALL
      SELECT device, status, attempts, reason, at, due_at FROM block_deliveries($1, $3)
      WHERE status <> \(OutcomeStatus.deferred.sql) OR due_at IS NOT NULL) o
    ORDER BY o.device
    """)

  /// Returns a user's ended and deferred deliveries, in device order. Those with rows are found only on `devices` or,
  /// if `searching`, on any device, which reads all rows of the message; those in blocks are always found. Omits
  /// deliveries at their first try, which `claimed` returns.
  package static func deliveries(
    _ seqno: Seqno, of user: UserKey, on devices: [DeviceID], searching: Bool
  ) -> Query<[Delivery]> {
    var column = UUIDColumn()
    for device in devices { column.append(device) }
    return Query(each: deliveriesStatement, seqno, column, user.text, searching) { row in
      Delivery(
        device: row.device(), status: OutcomeStatus(rawValue: row.int16()) ?? .deferred, attempts: row.int16(),
        reason: row.optionalText(), at: row.timestamp(), dueAt: row.optionalTimestamp(),
        receivedAt: row.optionalTimestamp(), readAt: row.optionalTimestamp())
    }
  }

  private static let claimedStatement = Statement(
    "explanations-claimed",
    """
    SELECT k.device FROM claims c, unnest(c.devices, c.user_keys) AS k(device, user_key)
    WHERE c.seqno = $1 AND c.user_keys @> ARRAY[$2] AND k.user_key = $2
    UNION ALL
    SELECT device FROM block_deliveries($1, $2) WHERE status = \(OutcomeStatus.deferred.sql) AND due_at IS NULL
    """)

  /// Returns the user's devices that are listed in a claim of the message, or whose delivery in a block is in progress.
  /// A claim lists all its devices until the last of their deliveries has ended, so some of the returned devices can
  /// have an outcome.
  package static func claimed(_ seqno: Seqno, of user: UserKey) -> Query<Set<DeviceID>> {
    Query(claimedStatement, seqno, user.text) { rows in Set(rows.decode { $0.device() }) }
  }

  package struct Badge: Equatable, Sendable {
    package let increment: Int16
    package let deliveries: Int32
    package let negatives: Int32
    /// `BadgeOption.code` of the user's first read with a badge option other than `force`; nil if there was none.
    package let readOption: Int16?

    package init(increment: Int16, deliveries: Int32, negatives: Int32, readOption: Int16?) {
      self.increment = increment
      self.deliveries = deliveries
      self.negatives = negatives
      self.readOption = readOption
    }
  }

  private static let badgeStatement = Statement(
    "explanations-badge",
    """
    SELECT increment, deliveries, negatives, read_option FROM badge_entry($1, $2, $3)
    """)

  /// Returns what is recorded of the message's effect on the user's badge count; nil if there is neither a ledger entry
  /// nor a block with an increment.
  package static func badge(_ seqno: Seqno, of user: Users.Key) -> Query<Badge?> {
    Query(first: badgeStatement, user.app, user.userKey.text, seqno) { row in
      Badge(
        increment: row.int16(), deliveries: row.int32(), negatives: row.int32(),
        readOption: row.optionalInt16())
    }
  }
}
