package import Domain
internal import Postgres

/// Messages: what was asked for, and how it stands.
package enum Messages {
  package struct New: Sendable {
    package let app: App.Number
    package let lane: Lane
    package let request: String
    package let requestSHA256: [UInt8]
    package let idempotencyKey: String?
    package let apiKey: Int32?
    package let targeted: Int64?
    package let unknownEntries: String
    package let now: Int64
    package let expiresAt: Int64

    package init(
      app: App.Number, lane: Lane, request: String, requestSHA256: [UInt8], idempotencyKey: String?, apiKey: Int32?,
      targeted: Int64?, unknownEntries: String, now: Int64, expiresAt: Int64
    ) {
      self.app = app
      self.lane = lane
      self.request = request
      self.requestSHA256 = requestSHA256
      self.idempotencyKey = idempotencyKey
      self.apiKey = apiKey
      self.targeted = targeted
      self.unknownEntries = unknownEntries
      self.now = now
      self.expiresAt = expiresAt
    }
  }

  private static let createStatement = Statement(
    "messages-create",
    """
    INSERT INTO messages (app, state, lane, request, request_sha256, idempotency_key, api_key, targeted,
      unknown_entries, created_at, expires_at)
    VALUES ($1, 1, $2, $3::text::json, $4, $5, $6, $7, $8::text::json, $9, $10)
    -- A repeated request: answer what is stored.
    ON CONFLICT (app, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
    RETURNING seqno
    """)

  /// Makes a message; nil when its idempotency key is taken.
  package static func create(_ message: New) -> Query<Int64?> {
    var parameters = Parameters()
    parameters.append(message.app)
    parameters.append(message.lane.rawValue)
    parameters.append(text: message.request)
    parameters.append(bytes: message.requestSHA256)
    parameters.append(text: message.idempotencyKey)
    parameters.append(message.apiKey)
    parameters.append(message.targeted)
    parameters.append(text: message.unknownEntries)
    parameters.append(timestampMicroseconds: message.now)
    parameters.append(timestampMicroseconds: message.expiresAt)
    return Query(createStatement, parameters) { $0.count == 1 ? $0.int64(0, 0) : nil }
  }

  /// What was answered to an earlier request with the same idempotency key.
  package struct Earlier: Sendable {
    package let seqno: Int64
    package let requestSHA256: [UInt8]
    package let targeted: Int64?
    package let unknownEntries: String
  }

  private static let earlierStatement = Statement(
    "messages-earlier",
    """
    SELECT seqno, request_sha256, targeted, unknown_entries::text FROM messages WHERE app = $1 AND idempotency_key = $2
    """)

  package static func earlier(app: App.Number, idempotencyKey: String) -> Query<Earlier?> {
    var parameters = Parameters()
    parameters.append(app)
    parameters.append(text: idempotencyKey)
    return Query(earlierStatement, parameters) { rows in
      rows.count == 1 ? earlier(rows, 0, from: 0) : nil
    }
  }

  static func earlier(_ rows: Rows, _ row: Int, from column: Int) -> Earlier {
    Earlier(
      seqno: rows.int64(row, column), requestSHA256: rows.bytes(row, column + 1),
      targeted: rows.optionalInt64(row, column + 2), unknownEntries: rows.text(row, column + 3))
  }

  private static let sendDateStatement = Statement(
    "messages-send-date", "SELECT to_char($1 AT TIME ZONE $2, 'YYYYMMDDHH24')")

  /// `yyyyMMddHH` in a time zone, as a message made at this time would carry it.
  package static func sendDate(at time: Int64, timeZone: String) -> Query<String> {
    var parameters = Parameters()
    parameters.append(timestampMicroseconds: time)
    parameters.append(text: timeZone)
    return Query(sendDateStatement, parameters) { $0.text(0, 0) }
  }

  private static let recentStatement = Statement(
    "messages-recent", "SELECT seqno FROM messages ORDER BY seqno DESC LIMIT $1")

  /// The newest messages of all apps, newest first.
  package static func recent(limit: Int) -> Query<[Int64]> {
    var parameters = Parameters()
    parameters.append(limit)
    return Query(recentStatement, parameters) { rows in rows.map { rows.int64($0, 0) } }
  }

  /// What the dispatcher needs to know of a message.
  package struct Open: Sendable {
    package let seqno: Int64
    package let app: App.Number
    package let appID: String
    package let lane: Lane
    package let state: MessageState
    package let request: [UInt8]
    /// `yyyyMMddHH` in the app's time zone.
    package let sendDate: String
    package let expiresAt: Int64
    package let frozenAt: Int64?
    package let isPlanned: Bool

    package init(
      seqno: Int64, app: App.Number, appID: String, lane: Lane, state: MessageState, request: [UInt8],
      sendDate: String, expiresAt: Int64, frozenAt: Int64?, isPlanned: Bool
    ) {
      self.seqno = seqno
      self.app = app
      self.appID = appID
      self.lane = lane
      self.state = state
      self.request = request
      self.sendDate = sendDate
      self.expiresAt = expiresAt
      self.frozenAt = frozenAt
      self.isPlanned = isPlanned
    }
  }

  private static let findStatement = Statement(
    "messages-find",
    """
    SELECT m.seqno, m.app, a.app_id, m.lane, m.state, m.request::text,
      to_char(m.created_at AT TIME ZONE a.time_zone, 'YYYYMMDDHH24'), m.expires_at, m.frozen_at, m.planned
    FROM messages m JOIN apps a ON a.app = m.app WHERE m.seqno = $1
    """)

  private static let unplannedStatement = Statement(
    "messages-unplanned",
    "SELECT seqno FROM messages WHERE state IN (1, 2) AND NOT planned ORDER BY lane, seqno LIMIT $1")

  /// Messages whose audience has still to be cut into shards, the most urgent first.
  package static func unplanned(atMost limit: Int) -> Query<[Int64]> {
    numbers(unplannedStatement, limit)
  }

  private static let claimableStatement = Statement(
    "messages-claimable",
    """
    SELECT m.seqno FROM messages m JOIN apps a ON a.app = m.app
    WHERE m.state = 2 AND a.paused_reason IS NULL
      AND EXISTS (SELECT FROM shards s WHERE s.seqno = m.seqno AND NOT s.exhausted)
    ORDER BY m.lane, m.seqno LIMIT $1
    """)

  /// Messages with devices that nobody has claimed yet, the most urgent first.
  package static func claimable(atMost limit: Int) -> Query<[Int64]> {
    numbers(claimableStatement, limit)
  }

  private static let unfinishedStatement = Statement(
    "messages-unfinished", "SELECT seqno FROM messages WHERE state = 2 AND planned ORDER BY seqno LIMIT $1")

  /// Messages that are being sent.
  package static func unfinished(atMost limit: Int) -> Query<[Int64]> {
    numbers(unfinishedStatement, limit)
  }

  private static func numbers(_ statement: Statement, _ limit: Int) -> Query<[Int64]> {
    var parameters = Parameters()
    parameters.append(limit)
    return Query(statement, parameters) { rows in rows.map { rows.int64($0, 0) } }
  }

  package static func find(_ seqno: Int64) -> Query<Open?> {
    var parameters = Parameters()
    parameters.append(seqno)
    return Query(findStatement, parameters) { $0.count == 1 ? open($0, 0) : nil }
  }

  private static func open(_ rows: Rows, _ row: Int) -> Open {
    Open(
      seqno: rows.int64(row, 0), app: rows.int32(row, 1), appID: rows.text(row, 2),
      lane: Lane(rawValue: rows.int16(row, 3)) ?? .normal, state: MessageState(rawValue: rows.int16(row, 4)) ?? .queued,
      request: rows.bytes(row, 5), sendDate: rows.text(row, 6), expiresAt: rows.timestampMicroseconds(row, 7),
      frozenAt: rows.isNull(row, 8) ? nil : rows.timestampMicroseconds(row, 8), isPlanned: rows.bool(row, 9))
  }

  private static let freezeStatement = Statement(
    "messages-freeze",
    """
    UPDATE messages SET frozen_at = coalesce(frozen_at, $2), state = CASE WHEN state = 1 THEN 2 ELSE state END
    -- The lock keeps a second planner out until this shard is committed.
    WHERE seqno = $1 AND state IN (1, 2) AND NOT planned RETURNING frozen_at
    """)

  /// Begins (or goes on) planning, within a transaction: locks the message and answers when its audience was frozen. Nil
  /// when there is nothing to plan any more.
  package static func freeze(_ seqno: Int64, at now: Int64) -> Query<Int64?> {
    var parameters = Parameters()
    parameters.append(seqno)
    parameters.append(timestampMicroseconds: now)
    return Query(freezeStatement, parameters) { $0.count == 1 ? $0.timestampMicroseconds(0, 0) : nil }
  }

  private static let finishPlanStatement = Statement(
    "messages-finish-plan",
    """
    UPDATE messages SET planned = true, targeted = (SELECT coalesce(sum(targeted), 0) FROM shards WHERE seqno = $1)
    WHERE seqno = $1
    """)

  /// All shards are written: from now on `targeted` is what they hold together.
  package static func finishPlan(_ seqno: Int64) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(seqno)
    return Query(finishPlanStatement, parameters) { _ in }
  }

  private static let correctStatement = Statement(
    "messages-correct", "UPDATE messages SET targeted = targeted + $2 WHERE seqno = $1")

  /// A shard held more or fewer devices than planned.
  package static func correctTargeted(_ seqno: Int64, by difference: Int64) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(seqno)
    parameters.append(difference)
    return Query(correctStatement, parameters) { _ in }
  }

  private static let finishStatement = Statement(
    "messages-finish",
    """
    UPDATE messages m SET finished_at = $2, state = (
      SELECT CASE
        WHEN coalesce(sum(t.accepted), 0) > 0 OR m.targeted = 0 THEN 4
        -- Nothing was accepted: expired if anything expired, failed if nothing could be sent.
        WHEN coalesce(sum(t.expired), 0) > 0 THEN 6
        ELSE 7 END
      FROM message_totals t WHERE t.seqno = m.seqno)
    WHERE m.seqno = ANY($1) AND m.state = 2 AND m.planned
      AND NOT EXISTS (SELECT FROM shards s WHERE s.seqno = m.seqno AND NOT s.exhausted)
      AND NOT EXISTS (SELECT FROM claims c WHERE c.seqno = m.seqno)
      AND m.targeted = (
        SELECT coalesce(sum(t.accepted + t.rejected + t.expired + t.cancelled + t.skipped), 0)
        FROM message_totals t WHERE t.seqno = m.seqno)
    RETURNING m.seqno
    """)

  /// Closes those of the messages for which every delivery is decided.
  package static func finish(_ seqnos: some Collection<Int64>, at now: Int64) -> Query<[Int64]> {
    var column = Int64Column()
    for seqno in seqnos { column.append(seqno) }
    var parameters = Parameters()
    parameters.append(int64s: column)
    parameters.append(timestampMicroseconds: now)
    return Query(finishStatement, parameters) { rows in rows.map { rows.int64($0, 0) } }
  }
}
