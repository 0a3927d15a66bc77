package import Domain
internal import Postgres
package import Time
package import Tracing

/// Messages: what was requested, their states, and the searches for messages that have work left.
package enum Messages {
  /// The answer to an earlier request, as stored with the message that has the same idempotency key or SEQNO.
  package struct Earlier: Sendable {
    package let seqno: Seqno
    /// Hash of the earlier request; nil if none is stored, which can only be if the message was found by its SEQNO.
    package let requestSHA256: [UInt8]?
    package let targeted: Int64?
    package let unknownEntries: String
    package let dueAt: Timestamp?
    package let resendOf: Seqno?
  }

  private static let earlierStatement = Statement(
    "messages-earlier",
    """
    SELECT seqno, request_sha256, targeted, unknown_entries::text, due_at, resend_of FROM messages
    WHERE app = $1 AND idempotency_key = $2
    """)

  package static func earlier(app: App.Number, idempotencyKey: String) -> Query<Earlier?> {
    Query(first: earlierStatement, app, idempotencyKey, read: earlier)
  }

  static func earlier(_ row: inout RowReader) -> Earlier {
    Earlier(
      seqno: row.seqno(), requestSHA256: row.optionalBytes(), targeted: row.optionalInt64(),
      unknownEntries: row.text(), dueAt: row.optionalTimestamp(), resendOf: row.optionalSeqno())
  }

  /// The app of a message, and its time of creation.
  package struct Origin: Sendable {
    package let app: App.Number
    /// When the message was created.
    package let createdAt: Timestamp
  }

  private static let originsStatement = Statement(
    "messages-origins", "SELECT seqno, app, created_at FROM messages WHERE seqno = ANY($1)")

  /// Returns the origins of messages; those that do not exist are missing from the result.
  package static func origins(of seqnos: [Seqno]) -> Query<[Seqno: Origin]> {
    var column = Int64Column()
    for seqno in seqnos { column.append(seqno) }
    return Query(originsStatement, column) {
      $0.dictionary { row in
        (row.seqno(), Origin(app: row.int32(), createdAt: row.timestamp()))
      }
    }
  }

  private static let sendDateStatement = Statement(
    "messages-send-date", "SELECT to_char($1 AT TIME ZONE $2, 'YYYYMMDDHH24')")

  /// Returns the send date of a message that is sent at `time`: date and hour in a time zone, as `yyyyMMddHH`.
  package static func sendDate(at time: Timestamp, timeZone: String) -> Query<String> {
    Query(one: sendDateStatement, time, timeZone) { $0.text() }
  }

  /// The data about a message that the dispatcher needs to send it.
  package struct Open: Sendable {
    package let seqno: Seqno
    package let app: App.Number
    package let appID: String
    package let lane: Lane
    package let state: MessageState
    package let request: [UInt8]
    /// A confidential message's encrypted content; nil for other messages, and after it was wiped.
    package var sealed: [UInt8]?
    /// Date and hour shown in the payload, as `yyyyMMddHH` in the app's time zone: when the message is due or, if it
    /// has no due time, when it was created.
    package let sendDate: String
    package let expiresAt: Timestamp
    package let frozenAt: Timestamp?
    package let isPlanned: Bool
    /// True while the message is being cancelled.
    package var isCancelling = false
    package var resend: Resend?
    /// Links to content that is hosted on pages because it does not fit into the payload; nil if there are none.
    package var links: HostedLinks?
    /// The app's time zone.
    package var timeZone = ""
    /// False if PostgreSQL no longer knows that time zone; `sendDate` is then in UTC.
    package var isTimeZoneKnown = true
    /// True if the message had expired when it was read, by the database's clock.
    package var isExpired = false
    /// The local time at which each device is sent the message, by the device's time zone; nil if all devices are sent
    /// the message at the same instant.
    package var localTime: LocalTime?
    /// True if the message has an SMS fallback.
    package var hasFallback = false
    package var hold = MessageHold.none
    /// True if a console account or a person at the command line requested the message.
    package var isAskedByPerson = false
    /// The identity mode under which a device must be bound to receive a confidential message.
    package var confidentialFrom = App.Identity.proof
    /// True if the app has a notification service extension, which must then be started for alerts.
    package var appHasExtension = false
    /// The app's defaults for notifications on Android.
    package var appAndroid = AndroidContent()
    /// How long the message stays in inboxes, in seconds; nil if it is not kept there.
    package var inboxSeconds: Int64?
    /// SEQNO of the original of a resent message, whose inbox entries it shares; nil for other messages.
    package var inboxOf: Seqno?
    /// Trace context, the parent of the spans of its claims, pushes and events; nil if it is not traced.
    package var trace: TraceContext?

    package init(
      seqno: Seqno, app: App.Number, appID: String, lane: Lane, state: MessageState, request: [UInt8],
      sendDate: String, expiresAt: Timestamp, frozenAt: Timestamp?, isPlanned: Bool
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

  /// The earlier message that a message resends, and which of its recipients it is for.
  package struct Resend: Equatable, Sendable {
    package let of: Seqno
    package let to: ResendTarget

    package init(of: Seqno, to: ResendTarget) {
      self.of = of
      self.to = to
    }
  }

  private static let findStatement = Statement(
    "messages-find",
    """
    SELECT m.seqno, m.app, a.app_id, m.lane, m.state, m.request::text,
      to_char(coalesce(m.due_at, m.created_at) AT TIME ZONE coalesce(nullif(z.known, ''), 'UTC'), 'YYYYMMDDHH24'),
      m.expires_at, m.frozen_at, m.planned, m.cancelled_at IS NOT NULL
        AND m.state = \(MessageState.paused.sql), m.resend_of, m.resend_to, a.time_zone,
      to_char(m.local_time, 'YYYY-MM-DD"T"HH24:MI:SS'), m.links::text, m.fallback IS NOT NULL,
      greatest(a.identity, a.confidential_to_proved::int)::smallint, m.sealed, a.extension, m.held,
      m.asked_by IS NOT NULL, m.inbox_seconds, m.inbox_of, a.android::text, m.trace, z.known <> '',
      m.expires_at <= clock_timestamp()
    FROM messages m JOIN apps a ON a.app = m.app
      -- Once a message, not once for each mention.
      CROSS JOIN LATERAL (SELECT zone_or(a.time_zone, '') AS known OFFSET 0) z
    WHERE m.seqno = ANY($1)
    """)

  private static let unplannedStatement = Statement(
    "messages-unplanned",
    """
    SELECT m.seqno FROM messages m
    -- A paused message is planned too, so that its numbers are known.
    WHERE m.state IN (\(MessageState.queued.sql), \(MessageState.sending.sql), \(MessageState.paused.sql))
      AND NOT m.planned AND m.cancelled_at IS NULL AND m.lane = ANY($2)
      -- One that cannot be read cannot be planned, and must not take the place of others here.
      AND \(Controls.isSetAside) IS NOT TRUE
    -- New ones first, so that a large one does not keep them waiting.
    ORDER BY m.lane, m.frozen_at IS NOT NULL, m.seqno LIMIT $1
    """)

  /// Returns at most `limit` queued, sending or paused messages in `lanes` whose planning is not complete, ordered by
  /// lane; within a lane, messages whose planning has not begun come first. Omits messages that are being cancelled or
  /// were set aside.
  package static func unplanned(_ lanes: [Lane], atMost limit: Int) -> Query<[Seqno]> {
    Query(each: unplannedStatement, limit, Int16Column(lanes)) { $0.seqno() }
  }

  private static let claimableStatement = Statement(
    "messages-claimable",
    """
    -- From the shards: there are far fewer than messages that wait for nothing but answers. And before anything is joined:
    -- where all messages are over and a snapshot keeps their former rows, PostgreSQL believes that a walk over those that
    -- are being sent costs nothing.
    WITH s AS MATERIALIZED (SELECT DISTINCT seqno FROM shards s WHERE NOT exhausted AND \(LatenessCondition.isOpen))
    SELECT m.seqno, m.lane
    FROM s CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m.seqno = s.seqno OFFSET 0) m
      JOIN apps a ON a.app = m.app LEFT JOIN gates g ON g.seqno = m.seqno
    WHERE m.state = \(MessageState.sending.sql) AND m.lane = ANY($2) AND NOT \(LatenessCondition.isLate)
      -- What has expired meanwhile is counted as such even while its app is paused.
      AND (a.paused_reason IS NULL OR m.expires_at <= clock_timestamp())
      -- One that is held back must not take the place of others here; its claim asks again under the gate's lock.
      -- What has expired is held back by nothing: it must still be claimed, to be counted.
      AND (g.seqno IS NULL OR m.expires_at <= clock_timestamp() OR (
        (g.ready_at IS NULL OR g.ready_at <= clock_timestamp())
        AND (g.canary_phase IS NULL OR g.canary_phase = 2
          OR g.canary_phase = 0 AND (g.canary_devices IS NOT NULL OR m.planned))
        -- In an unknown zone it is claimed, so that it is set aside with the reason.
        AND CASE WHEN g.window_opens IS NOT NULL AND \(TimeZones.isOfAppKnown)
          THEN window_opens_at(clock_timestamp(), a.time_zone, g.window_opens, g.window_closes) IS NULL ELSE true END))
    ORDER BY m.lane, m.seqno LIMIT $1
    """)

  /// Returns at most `limit` messages in `lanes` that are being sent and have devices that may be claimed now, ordered
  /// by lane and SEQNO. Omits late messages, messages of paused apps and messages whose gate is closed; an expired
  /// message is included in spite of pause and gate, because its deliveries must be claimed to be counted as expired.
  package static func claimable(_ lanes: [Lane], atMost limit: Int) -> Query<[(seqno: Seqno, lane: Lane)]> {
    Query(each: claimableStatement, limit, Int16Column(lanes)) { ($0.seqno(), Lane(rawValue: $0.int16()) ?? .normal) }
  }

  private static let unfinishedStatement = Statement(
    "messages-unfinished",
    """
    SELECT seqno FROM messages WHERE lane = $3 AND state = \(MessageState.sending.sql) AND planned
      AND seqno >= $2 ORDER BY seqno LIMIT $1
    """)

  /// Returns at most `limit` planned messages of a lane in state `sending`, in ascending order of SEQNO, starting at
  /// `seqno`.
  package static func unfinished(_ lane: Lane, from seqno: Seqno, atMost limit: Int) -> Query<[Seqno]> {
    Query(each: unfinishedStatement, limit, seqno, lane.rawValue) { $0.seqno() }
  }

  private static let lastStatement = Statement("messages-last", "SELECT last_value FROM messages_seqno_seq")

  /// Returns the highest SEQNO assigned or skipped so far; 1 before the first.
  package static func last() -> Query<Seqno> { Query(one: lastStatement) { $0.seqno() } }

  package static func find(_ seqno: Seqno) -> Query<Open?> {
    find([seqno]).map(\.first)
  }

  /// Returns the given messages in no particular order; those that do not exist are omitted.
  package static func find(_ seqnos: some Collection<Seqno>) -> Query<[Open]> {
    var column = Int64Column()
    for seqno in seqnos { column.append(seqno) }
    return Query(each: findStatement, column, read: open)
  }

  private static func open(_ row: inout RowReader) -> Open {
    var open = Open(
      seqno: row.seqno(), app: row.int32(), appID: row.text(), lane: Lane(rawValue: row.int16()) ?? .normal,
      state: MessageState(rawValue: row.int16()) ?? .queued, request: row.bytes(), sendDate: row.text(),
      expiresAt: row.timestamp(), frozenAt: row.optionalTimestamp(), isPlanned: row.bool())
    open.isCancelling = row.bool()
    let (resendOf, resendTo) = (row.optionalSeqno(), row.optionalInt16())
    open.resend = resendOf.map { Resend(of: $0, to: resendTo.flatMap(ResendTarget.init) ?? .failed) }
    open.timeZone = row.text()
    open.localTime = row.optionalText().flatMap { LocalTime($0) }
    open.links = row.optionalBytes().flatMap { try? HostedLinks(json: $0) }
    open.hasFallback = row.bool()
    open.confidentialFrom = App.Identity(rawValue: row.int16()) ?? .strict
    open.sealed = row.optionalBytes()
    open.appHasExtension = row.bool()
    // A newer program may have stored a hold that this one does not know. Treat it as waiting, so that nothing is sent.
    open.hold = MessageHold(rawValue: row.int16()) ?? .waiting
    open.isAskedByPerson = row.bool()
    open.inboxSeconds = row.optionalInt32().map(Int64.init)
    open.inboxOf = row.optionalSeqno()
    open.appAndroid = AndroidContent(stored: row.bytes())
    open.trace = row.optionalBytes().flatMap { TraceContext(stored: $0) }
    open.isTimeZoneKnown = row.bool()
    open.isExpired = row.bool()
    return open
  }
}
