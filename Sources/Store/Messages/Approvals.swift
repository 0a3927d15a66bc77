package import Domain
internal import Postgres
package import Time
package import Tracing

/// Sends that need a second person's approval, and the decisions on them. An approval either contains the request of a
/// message that is created once it is approved, or holds an existing message (`ApprovalHolds`).
package enum Approvals {
  package typealias Number = Int64

  /// The raw values are stored in the database, so they must not change.
  package enum State: Int16, Sendable, CaseIterable {
    case waiting = 1
    case approved = 2
    case rejected = 3
  }

  /// The person who requested the send, and who therefore must not approve it, with the name to display.
  package struct Requester: Sendable {
    package let asker: Principal
    package let name: String

    package init(asker: Principal, name: String) {
      self.asker = asker
      self.name = name
    }
  }

  package struct New: Sendable {
    package let app: App.Number
    /// The request as JSON, as the client sent it; without its content if that is encrypted in `sealed`.
    package let request: String
    package let sealed: [UInt8]?
    package let requestSHA256: [UInt8]
    package let idempotencyKey: String?
    package let resendOf: Seqno?
    package let targeted: Int64?
    /// A JSON array of the requested users and groups that do not exist.
    package let unknownEntries: String
    package let requester: Requester
    package let now: Timestamp
    package let endsAt: Timestamp
    package var because = SecondPerson.Because.size
    /// Number of devices of the same person's other messages within the last hour (`ApprovalHolds.withinHour`).
    package var withinHour: Int64 = 0
    /// Trace context for the message; nil if it is not traced.
    package var trace: TraceContext?

    package init(
      app: App.Number, request: String, sealed: [UInt8]?, requestSHA256: [UInt8], idempotencyKey: String?,
      resendOf: Seqno?,
      targeted: Int64?, unknownEntries: String, requester: Requester, now: Timestamp, endsAt: Timestamp
    ) {
      self.app = app
      self.request = request
      self.sealed = sealed
      self.requestSHA256 = requestSHA256
      self.idempotencyKey = idempotencyKey
      self.resendOf = resendOf
      self.targeted = targeted
      self.unknownEntries = unknownEntries
      self.requester = requester
      self.now = now
      self.endsAt = endsAt
    }
  }

  package struct Record: Sendable {
    package let number: Number
    package let app: App.Number
    package let appID: String
    package let state: State
    package let request: String
    package let sealed: [UInt8]?
    package let requestSHA256: [UInt8]
    package let idempotencyKey: String?
    package let resendOf: Seqno?
    package let targeted: Int64?
    package let unknownEntries: String
    package let requester: Requester
    package let requestedAt: Timestamp
    package let endsAt: Timestamp
    package let decidedBy: String?
    package let decidedAt: Timestamp?
    package let reason: String?
    package let seqno: Seqno?
    /// True if the message exists already and is held until this decision; false if it is created on approval.
    package let isHeld: Bool
    package let because: SecondPerson.Because
    package let withinHour: Int64
    package let trace: TraceContext?
  }

  private static let createStatement = Statement(
    "approvals-create",
    """
    INSERT INTO approvals (app, request, request_sha256, idempotency_key, resend_of, targeted, unknown_entries, account,
      requested_by, requested_at, ends_at, asked_by, because, within_hour, sealed, trace)
    VALUES ($1, $2::text::json, $3, $4, $5, $6, $7::text::json, $8, $9, $10, $11, $12, $13, $14, $15, $16)
    ON CONFLICT ON CONSTRAINT approvals_idempotency_key_is_unique DO NOTHING
    RETURNING approval
    """)

  /// Stores a request for approval, for a message that does not exist yet. Returns the approval's number; nil if the
  /// idempotency key is already in use by another approval of the app.
  package static func create(_ new: New) -> Query<Number?> {
    var parameters = Parameters()
    parameters.append(new.app)
    parameters.append(new.request)
    parameters.append(new.requestSHA256)
    parameters.append(new.idempotencyKey)
    parameters.append(new.resendOf)
    parameters.append(new.targeted)
    parameters.append(new.unknownEntries)
    // 0 for a requester without an account; no account has this number.
    var account: Int32 = 0
    if case .account(let number) = new.requester.asker { account = number }
    parameters.append(account)
    parameters.append(new.requester.name)
    parameters.append(new.now)
    parameters.append(new.endsAt)
    parameters.append(new.requester.asker.stored)
    parameters.append(new.because.rawValue)
    parameters.append(new.withinHour)
    parameters.append(new.sealed)
    parameters.append(new.trace?.stored)
    return Query(createStatement, parameters) { $0.decodeFirst { $0.int64() } }
  }

  // MARK: Reading

  private static let keys = "p.approval, p.app, a.app_id, p.state"
  /// What is held has its request in its message, and nowhere else.
  private static let request = """
    coalesce(CASE WHEN p.held THEN (SELECT m.request FROM messages m WHERE m.seqno = p.seqno) ELSE p.request END, 'null')
    """
  private static let sealed = """
    CASE WHEN p.held THEN (SELECT m.sealed FROM messages m WHERE m.seqno = p.seqno) ELSE p.sealed END
    """
  private static let origin = "p.request_sha256, p.idempotency_key, p.resend_of, p.targeted"
  private static let decision = """
    coalesce(p.asked_by, 'account ' || p.account), p.requested_by, p.requested_at, p.ends_at,
    p.decided_by, p.decided_at, p.reason, p.seqno, p.held, p.because, p.within_hour, p.trace
    """

  /// The columns that `records` decodes.
  private static let columnList = """
    \(keys), \(request)::text, \(sealed), \(origin), p.unknown_entries::text, \(decision)
    """
  private static let fitsPage = "p.size_before < $8"
  /// The same, but without request, content and unknown entries of rows after the first `$8` bytes of these.
  private static let pageColumnList = """
    \(keys), CASE WHEN \(fitsPage) THEN \(request)::text ELSE '' END,
    CASE WHEN \(fitsPage) THEN \(sealed) END, \(origin),
    CASE WHEN \(fitsPage) THEN p.unknown_entries::text ELSE '' END, \(decision)
    """

  private static let findStatement = Statement(
    "approvals-find", "SELECT \(columnList) FROM approvals p JOIN apps a ON a.app = p.app WHERE p.approval = $1")
  private static let lockStatement = Statement(
    "approvals-lock",
    "SELECT \(columnList) FROM approvals p JOIN apps a ON a.app = p.app WHERE p.approval = $1 FOR UPDATE OF p")

  package static func find(_ number: Number) -> Query<Record?> { one(findStatement, number) }
  /// Locks an approval, so that only this transaction can decide it, and returns it; nil if it does not exist. Waits
  /// while another transaction has it locked.
  package static func lock(_ number: Number) -> Query<Record?> { one(lockStatement, number) }

  private static func one(_ statement: Statement, _ number: Number) -> Query<Record?> {
    Query(statement, number) { records($0).first }
  }

  private static let earlierStatement = Statement(
    "approvals-earlier",
    """
    SELECT \(columnList) FROM approvals p JOIN apps a ON a.app = p.app WHERE p.app = $1 AND p.idempotency_key = $2
    """)

  package static func earlier(app: App.Number, idempotencyKey: String) -> Query<Record?> {
    Query(earlierStatement, app, idempotencyKey) { records($0).first }
  }

  private static let listStatement = Statement(
    "approvals-list",
    """
    SELECT \(pageColumnList) FROM (
      SELECT f.*, sum(f.size) OVER (ORDER BY f.approval DESC) - f.size AS size_before FROM (
        SELECT s.*, octet_length(s.request::text) + octet_length(s.unknown_entries::text) + coalesce(
          (SELECT octet_length(m.request::text) FROM messages m WHERE s.held AND m.seqno = s.seqno), 0) AS size
        FROM (
          -- Few enough: a search ends after so many, and goes on with the next page.
          SELECT * FROM approvals WHERE approval < $1 AND ($2::integer IS NULL OR app = $2)
          ORDER BY approval DESC LIMIT $3) s
        WHERE ($4::smallint IS NULL OR s.state = $4) AND ($5::boolean IS NULL OR (s.ends_at < $6) = $5)
        ORDER BY s.approval DESC LIMIT $7) f) p
    JOIN apps a ON a.app = p.app
    ORDER BY p.approval DESC
    """)

  /// Returns at most `limit` matching approvals with numbers below `number`, newest first. Searches only the newest
  /// `window` of the approvals below `number`. Once the requests reach a size of `bytes`, those of further
  /// approvals are empty.
  /// - Parameters:
  ///   - app: the app of the approvals; nil for all apps.
  ///   - state: the only state to include; nil for all.
  ///   - isOver: true selects only approvals past their deadline at `now`, false only those before it, nil both.
  package static func list(
    of app: App.Number?, _ state: State?, isOver: Bool?, now: Timestamp, before number: Number, window: Int, bytes: Int,
    limit: Int
  ) -> Query<[Record]> {
    Query(listStatement, number, app, window, state?.rawValue, isOver, now, limit, bytes, read: records)
  }

  private static let edgeStatement = Statement(
    "approvals-edge",
    """
    SELECT approval FROM approvals WHERE approval < $1 AND ($2::integer IS NULL OR app = $2) ORDER BY approval DESC
    OFFSET $3 - 1 LIMIT 1
    """)

  /// Returns the last approval that `list` reads within `window`, from which the next page continues; nil if fewer than
  /// `window` approvals are left, so that the list is complete.
  package static func edge(of app: App.Number?, before number: Number, window: Int) -> Query<Number?> {
    Query(first: edgeStatement, number, app, window) { $0.int64() }
  }

  // MARK: Deciding

  private static let decideStatement = Statement(
    "approvals-decide",
    """
    UPDATE approvals SET state = $2, decided_by = $3, decided_at = clock_timestamp(), reason = $4, seqno = $5
    WHERE approval = $1 AND state = \(Approvals.State.waiting.sql)
    """)

  /// Records the decision on an approval that the caller has locked. Changes nothing if it is no longer waiting.
  /// - Parameters:
  ///   - reason: the reason for a rejection; nil if none was named.
  ///   - seqno: the message that an approved request became, or that the approval holds; otherwise nil.
  package static func decide(
    _ number: Number, _ state: State, by name: String, reason: String?, seqno: Seqno?
  ) -> Query<Void> {
    Query(decideStatement, number, state.rawValue, name, reason, seqno) { _ in }
  }

  private static func records(_ rows: Rows) -> [Record] {
    rows.decode { row in
      Record(
        number: row.int64(), app: row.int32(), appID: row.text(),
        state: State(rawValue: row.int16()) ?? .rejected, request: row.text(),
        sealed: row.optionalBytes(), requestSHA256: row.bytes(),
        idempotencyKey: row.optionalText(),
        resendOf: row.optionalSeqno(), targeted: row.optionalInt64(),
        unknownEntries: row.text(),
        requester: Requester(
          // An unknown form was stored by a newer program. Account 0 belongs to nobody, so it never matches the
          // approver.
          asker: Principal(stored: row.text()) ?? .account(0), name: row.text()),
        requestedAt: row.timestamp(), endsAt: row.timestamp(),
        decidedBy: row.optionalText(),
        decidedAt: row.optionalTimestamp(),
        reason: row.optionalText(), seqno: row.optionalSeqno(), isHeld: row.bool(),
        because: SecondPerson.Because(rawValue: row.int16()) ?? .size, withinHour: row.int64(),
        trace: row.optionalBytes().flatMap { TraceContext(stored: $0) })
    }
  }
}
