package import Domain
internal import Postgres

/// Messages for lists, and a message's failures.
package enum MessageLists {
  package struct Record: Sendable {
    package let app: App.Number
    package let appID: String
    package let lane: Lane
    /// The alert's JSON; nil when the request has none, is confidential, or is too large to be read for a list.
    package let alert: String?
    package let createdAt: Int64
    package let finishedAt: Int64?
    package let apiKey: Int32?
    package let funnel: Funnel
  }

  /// Selects the messages of a list; nil: no restriction.
  package struct Filter: Sendable {
    package var app: App.Number?
    package var state: MessageState?
    package var lane: Lane?
    /// When the message was created, in microseconds since 1970: from, up to but not including.
    package var from: Int64?
    package var to: Int64?

    package init() {}
  }

  private static func list(_ name: String, from: String) -> Statement {
    Statement(
      name,
      """
      SELECT m.seqno, m.app, a.app_id, m.state, m.lane,
        -- A request may name 10,000 users: such a one is not read for a list.
        CASE WHEN pg_column_size(m.request) < 65536 AND m.request->>'confidential' IS DISTINCT FROM 'true'
          THEN (m.request->'alert')::text END,
        m.created_at, m.finished_at, m.due_at, m.targeted, m.api_key, m.state_reason, m.resend_of, t.*,
        coalesce((m.request->>'confidential')::boolean, false)
      FROM (
        SELECT * FROM (
          -- A search ends after so many messages, and goes on with the next page.
          SELECT * FROM messages WHERE \(from) ORDER BY seqno DESC LIMIT $2) looked
        WHERE ($4 IS NULL OR state = $4) AND ($5 IS NULL OR lane = $5)
          AND ($6 IS NULL OR created_at >= $6) AND ($7 IS NULL OR created_at < $7)
        ORDER BY seqno DESC LIMIT $3) m
      JOIN apps a ON a.app = m.app
      CROSS JOIN LATERAL (
        SELECT coalesce(sum(accepted), 0)::bigint, coalesce(sum(rejected), 0)::bigint,
          coalesce(sum(expired), 0)::bigint, coalesce(sum(cancelled), 0)::bigint, coalesce(sum(skipped), 0)::bigint,
          coalesce(sum(t.received), 0)::bigint + min(u.received), coalesce(sum(t.read), 0)::bigint + min(u.read)
        FROM unfolded_confirmations(m.seqno) u LEFT JOIN message_totals t ON t.seqno = m.seqno) t
      ORDER BY m.seqno DESC
      """)
  }

  private static let allStatement = list("message-lists-list", from: "seqno < $1")
  private static let ofAppStatement = list("message-lists-list-of-app", from: "app = $8 AND seqno < $1")

  /// Returns matching messages before `seqno`, newest first, searching at most `window` messages.
  package static func list(_ filter: Filter, before seqno: Int64, window: Int, limit: Int) -> Query<[Record]> {
    var parameters = Parameters()
    parameters.append(seqno)
    parameters.append(window)
    parameters.append(limit)
    parameters.append(filter.state?.rawValue)
    parameters.append(filter.lane?.rawValue)
    parameters.append(timestampMicroseconds: filter.from)
    parameters.append(timestampMicroseconds: filter.to)
    if let app = filter.app { parameters.append(app) }
    return Query(filter.app == nil ? allStatement : ofAppStatement, parameters) { rows in
      rows.map { record(rows, $0) }
    }
  }

  private static func record(_ rows: Rows, _ row: Int) -> Record {
    var funnel = Funnel(
      seqno: rows.int64(row, 0), state: MessageState(rawValue: rows.int16(row, 3)) ?? .queued,
      targeted: rows.optionalInt64(row, 9))
    funnel.dueAt = rows.optionalTimestamp(row, 8)
    funnel.stateReason = rows.optionalText(row, 11)
    funnel.resendOf = rows.optionalInt64(row, 12)
    funnel.accepted = rows.int64(row, 13)
    funnel.rejected = rows.int64(row, 14)
    funnel.expired = rows.int64(row, 15)
    funnel.cancelled = rows.int64(row, 16)
    funnel.skipped = rows.int64(row, 17)
    funnel.received = rows.int64(row, 18)
    funnel.read = rows.int64(row, 19)
    funnel.isConfidential = rows.bool(row, 20)
    return Record(
      app: rows.int32(row, 1), appID: rows.text(row, 2), lane: Lane(rawValue: rows.int16(row, 4)) ?? .normal,
      alert: rows.optionalText(row, 5), createdAt: rows.timestampMicroseconds(row, 6),
      finishedAt: rows.optionalTimestamp(row, 7),
      apiKey: rows.isNull(row, 10) ? nil : rows.int32(row, 10), funnel: funnel)
  }

  private static let edgeStatement = Statement(
    "message-lists-edge", "SELECT seqno FROM messages WHERE seqno < $1 ORDER BY seqno DESC OFFSET $2 - 1 LIMIT 1")
  private static let edgeOfAppStatement = Statement(
    "message-lists-edge-of-app",
    "SELECT seqno FROM messages WHERE app = $3 AND seqno < $1 ORDER BY seqno DESC OFFSET $2 - 1 LIMIT 1")

  /// Returns the last message that a search of `window` covers; nil when the list ends before that.
  package static func edge(_ filter: Filter, before seqno: Int64, window: Int) -> Query<Int64?> {
    var parameters = Parameters()
    parameters.append(seqno)
    parameters.append(window)
    if let app = filter.app { parameters.append(app) }
    return Query(filter.app == nil ? edgeStatement : edgeOfAppStatement, parameters) {
      $0.count == 1 ? $0.int64(0, 0) : nil
    }
  }

  // MARK: Failures

  private static let failuresStatement = Statement(
    "message-lists-failures",
    """
    SELECT f.device, f.user_key, f.status, f.reason, abs(f.attempts), f.at FROM (
      SELECT * FROM outcomes WHERE seqno = $1
        AND status IN (\(OutcomeStatus.rejected.sql), \(OutcomeStatus.expired.sql), \(OutcomeStatus.skipped.sql))
        AND device > $2 ORDER BY device LIMIT $5) f
    WHERE ($3 IS NULL OR f.reason = $3) ORDER BY f.device LIMIT $4
    """)

  /// Returns deliveries with rows that ended rejected, expired or skipped, in device order after `device`, searching at
  /// most `window` rows.
  static func failures(
    of seqno: Int64, after device: DeviceID, reason: String?, window: Int, limit: Int
  ) -> Query<[DeliveryPages.Delivery]> {
    var parameters = Parameters()
    parameters.append(seqno)
    parameters.append(device: device)
    parameters.append(text: reason)
    parameters.append(limit)
    parameters.append(window)
    return Query(failuresStatement, parameters) { rows in
      rows.map { row in
        DeliveryPages.Delivery(
          place: .row(rows.device(row, 0)), device: rows.device(row, 0), userKey: rows.userKey(row, 1),
          status: OutcomeStatus(rawValue: rows.int16(row, 2)) ?? .rejected, reason: rows.optionalText(row, 3),
          attempts: rows.int16(row, 4), at: rows.timestampMicroseconds(row, 5), receivedAt: nil, readAt: nil)
      }
    }
  }

  private static let failuresEdgeStatement = Statement(
    "message-lists-failures-edge",
    """
    SELECT device FROM outcomes WHERE seqno = $1
      AND status IN (\(OutcomeStatus.rejected.sql), \(OutcomeStatus.expired.sql), \(OutcomeStatus.skipped.sql))
      AND device > $2
    ORDER BY device OFFSET $3 - 1 LIMIT 1
    """)

  /// Returns the last failure that a search of `window` covers; nil when there are no more.
  static func failuresEdge(of seqno: Int64, after device: DeviceID, window: Int) -> Query<DeviceID?> {
    var parameters = Parameters()
    parameters.append(seqno)
    parameters.append(device: device)
    parameters.append(window)
    return Query(failuresEdgeStatement, parameters) { $0.count == 1 ? $0.device(0, 0) : nil }
  }
}
