package import Domain
internal import Postgres
package import Time
package import Tracing

/// The creation of messages. All messages are inserted by the single INSERT in this file, except later occurrences of a
/// repetition (`Schedules.continueAfter`) and test data (`FinishedMessages`).
extension Messages {
  package struct New: Sendable {
    package let app: App.Number
    package let lane: Lane
    /// The request as JSON, without its content when that is encrypted in `sealed`.
    package let request: String
    package var sealed: [UInt8]?
    package let requestSHA256: [UInt8]
    package let idempotencyKey: String?
    package let apiKey: Int32?
    package let targeted: Int64?
    package let unknownEntries: String
    /// False if what is stored about the recipients is to be deleted 48 hours after the message's end (`dbIn` false).
    package let keepsHistory: Bool
    package let now: Timestamp
    package let expiresAt: Timestamp
    /// The SEQNO, if already assigned; nil to assign the next one.
    package var seqno: Seqno?
    /// True if the whole audience is claimed in the same transaction. Nothing is left to plan then, and a message
    /// without recipients is finished at once.
    package var isClaimed = false
    package var purpose = MessagePurpose.campaign
    /// When the message is due; nil for immediately.
    package var dueAt: Timestamp?
    /// The local time at which each device is sent the message, by the device's time zone; `dueAt` is then the earliest
    /// such instant. Nil if all devices are sent the message at the same instant.
    package var localTime: LocalTime?
    package var resend: Resend?
    package var links = HostedLinks()
    /// The confirmation that prevents the SMS fallback; nil if the message has no fallback.
    package var fallback: Fallback.Condition?
    /// The person who requested the message, and when; nil if a program or a device did.
    package var asked: (by: Principal, at: Timestamp)?
    /// The number of devices that a second person has approved; nil if no approval was needed.
    package var approvedFor: Int64?
    /// How long the message stays in inboxes, in seconds; nil if it is not kept there.
    package var inboxSeconds: Int64?
    /// Trace context, the parent of the spans of its claims, pushes and events; nil if it is not traced.
    package var trace: TraceContext?

    package init(
      app: App.Number, lane: Lane, request: String, requestSHA256: [UInt8], idempotencyKey: String?, apiKey: Int32?,
      targeted: Int64?, unknownEntries: String, keepsHistory: Bool, now: Timestamp, expiresAt: Timestamp
    ) {
      self.app = app
      self.lane = lane
      self.request = request
      self.requestSHA256 = requestSHA256
      self.idempotencyKey = idempotencyKey
      self.apiKey = apiKey
      self.targeted = targeted
      self.unknownEntries = unknownEntries
      self.keepsHistory = keepsHistory
      self.now = now
      self.expiresAt = expiresAt
    }

    /// Returns a claimed message in the form in which `find` reads other messages for the dispatcher. Leaves request
    /// and sealed content empty, and resend, links, time zone, local time, hold and `isAskedByPerson` at their
    /// defaults.
    /// - Parameters:
    ///   - seqno: the message's SEQNO.
    ///   - sendDate: the date and hour shown in the payload, as `yyyyMMddHH` in the app's time zone.
    package func open(_ seqno: Seqno, in app: App, sendDate: String) -> Open {
      var open = Open(
        seqno: seqno, app: app.number, appID: app.appID, lane: lane, state: .sending, request: [], sendDate: sendDate,
        expiresAt: expiresAt, frozenAt: now, isPlanned: true)
      open.hasFallback = fallback != nil
      open.confidentialFrom = app.identityRules.confidentialFrom
      open.appHasExtension = app.hasExtension
      open.appAndroid = app.android
      open.inboxSeconds = inboxSeconds
      open.trace = trace
      return open
    }
  }

  private static let insert = """
    INSERT INTO messages (seqno, app, lane, request, request_sha256, idempotency_key, api_key, targeted, unknown_entries,
      created_at, expires_at, due_at, local_time, resend_of, resend_to, links, fallback,
      asked_by, asked_at, approved_for, sealed, inbox_seconds, planned, purpose, trace, keeps_history,
      state, frozen_at, finished_at, held, inbox_of)
    SELECT coalesce(seqno, nextval('messages_seqno_seq')), app, lane, request::json, sha256, key, api_key, targeted,
      coalesce(unknown::json, '[]'), created_at, expires_at, due_at, local_time::timestamp, resend_of, resend_to,
      links::json, fallback, asked_by, asked_at, approved_for, sealed, inbox_seconds, claimed, purpose, trace,
      coalesce(keeps, true),
      CASE WHEN claimed AND targeted = 0 THEN 4 WHEN claimed THEN 2 WHEN due_at IS NULL THEN 1 ELSE 0 END,
      CASE WHEN claimed THEN created_at END, CASE WHEN claimed AND targeted = 0 THEN created_at END,
      -- What a person asks for is counted before anything goes out, where the app wants that by then.
      CASE WHEN asked_by IS NULL THEN 0 ELSE 1 END,
      CASE WHEN resend_of IS NOT NULL AND inbox_seconds IS NOT NULL
        THEN (SELECT coalesce(o.inbox_of, o.seqno) FROM messages o WHERE o.seqno = t.resend_of) END
    FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
      $24, $25, $26)
      AS t(seqno, app, lane, request, sha256, key, api_key, targeted, unknown, created_at, expires_at, due_at, local_time,
      resend_of, resend_to, links, fallback, asked_by, asked_at, approved_for, sealed, inbox_seconds, claimed,
      purpose, trace, keeps)
    """

  private static let inOrderOfKeys = """
    -- In one order for all writers, for those with the same key wait for each other.
    ORDER BY app, key COLLATE "C"
    """

  private static let createStatement = Statement(
    "messages-create",
    """
    \(insert)
    \(inOrderOfKeys)
    -- A repeated request: answer what is stored. A number that is there already is an error: none is given twice.
    ON CONFLICT (app, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
    RETURNING seqno
    """)

  /// Stores a message, under the next SEQNO unless it has one, and returns the SEQNO. Returns nil, without storing the
  /// message, if its app has a message with the same idempotency key. Fails with a unique violation if the message's
  /// own SEQNO exists.
  package static func create(_ message: New) -> Query<Seqno?> {
    var columns = NewMessageColumns()
    columns.append(message)
    return Query(createStatement, columns.parameters) { $0.decodeFirst { $0.seqno() } }
  }

  private static let createNumberedStatement = Statement(
    "messages-create-numbered",
    """
    \(insert)
    \(inOrderOfKeys)
    -- Either its key was used before, or this very message is there: its commit was not heard of.
    ON CONFLICT DO NOTHING
    RETURNING seqno
    """)

  /// Stores messages whose SEQNOs are already assigned, except those whose SEQNO exists, or whose app has a message
  /// with the same idempotency key. Returns the SEQNOs that were stored.
  package static func createNumbered(_ messages: [New]) -> Query<Set<Seqno>> {
    var columns = NewMessageColumns()
    for message in messages { columns.append(message) }
    return Query(createNumberedStatement, columns.parameters) { rows in Set(rows.decode { $0.seqno() }) }
  }

  private static let createFreshStatement = Statement(
    "messages-create-fresh",
    """
    \(insert)
    -- Nothing can be there, so PostgreSQL need not look before each row, nor confirm it in the log afterwards.
    RETURNING seqno
    """)

  /// Stores messages without idempotency keys whose SEQNOs were assigned in this transaction, and returns the SEQNOs.
  /// Fails with a unique violation if one of the SEQNOs exists.
  package static func createFresh(_ messages: [New]) -> Query<Set<Seqno>> {
    var columns = NewMessageColumns()
    for message in messages { columns.append(message) }
    return Query(createFreshStatement, columns.parameters) { rows in Set(rows.decode { $0.seqno() }) }
  }
}

/// The parameters of the INSERT: one array per column, with one element per message. Decision 001.
private struct NewMessageColumns {
  private var (seqnos, apps, lanes) = (Int64Column(), Int32Column(), Int16Column())
  private var (requests, hashes, keys) = (TextColumn(), BytesColumn(), TextColumn())
  private var (apiKeys, targeted, unknown) = (Int32Column(), Int64Column(), TextColumn())
  private var (created, expiries, dues) = (TimestampColumn(), TimestampColumn(), TimestampColumn())
  private var (localTimes, resendsOf, resendsTo) = (TextColumn(), Int64Column(), Int16Column())
  private var (links, fallbacks) = (TextColumn(), Int16Column())
  private var (askers, askedAts, approvedFor) = (TextColumn(), TimestampColumn(), Int64Column())
  private var (sealed, inboxes, claimed) = (BytesColumn(), Int32Column(), BoolColumn())
  private var (purposes, traces, keeps) = (Int16Column(), BytesColumn(), BoolColumn())

  mutating func append(_ message: Messages.New) {
    seqnos.append(message.seqno)
    apps.append(message.app)
    lanes.append(message.lane.rawValue)
    requests.append(message.request)
    // Needed to compare the request with a later one under the same key, or with what a second person has seen.
    hashes.append(message.idempotencyKey == nil && message.asked == nil ? nil : message.requestSHA256)
    keys.append(message.idempotencyKey)
    apiKeys.append(message.apiKey)
    targeted.append(message.targeted)
    unknown.append(message.unknownEntries == "[]" ? nil : message.unknownEntries)
    created.append(message.now)
    expiries.append(message.expiresAt)
    dues.append(message.dueAt)
    localTimes.append(message.localTime?.text)
    resendsOf.append(message.resend?.of)
    resendsTo.append(message.resend?.to.rawValue)
    links.append(message.links.json.map { String(decoding: $0, as: UTF8.self) })
    fallbacks.append(message.fallback?.rawValue)
    askers.append(message.asked?.by.stored)
    askedAts.append(message.asked?.at)
    approvedFor.append(message.approvedFor)
    sealed.append(message.sealed)
    inboxes.append(message.inboxSeconds.map { Int32(clamping: $0) })
    claimed.append(message.isClaimed)
    purposes.append(message.purpose.rawValue)
    traces.append(message.trace?.stored)
    keeps.append(message.keepsHistory ? nil : false)
  }

  /// The arrays as parameters, in the order in which the statement numbers them.
  var parameters: Parameters {
    // Most columns are NULL in a whole batch of one-time codes.
    Parameters(
      unnesting: seqnos, apps, lanes, requests, hashes, keys, apiKeys, targeted, unknown, created, expiries, dues,
      localTimes, resendsOf, resendsTo, links, fallbacks, askers, askedAts, approvedFor, sealed, inboxes, claimed,
      purposes, traces, keeps)
  }
}
