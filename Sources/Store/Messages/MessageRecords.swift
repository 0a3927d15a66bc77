package import Domain
internal import Postgres
package import Time

/// What an operator sees about one message, apart from counts: the request, who made and approved it, and what delays
/// the message now.
package enum MessageRecords {
  package struct Record: Sendable {
    package let app: App.Number
    package let appID: String
    package let state: MessageState
    package let purpose: MessagePurpose
    package let createdAt: Timestamp
    /// Who requested the message: an account's login, a Unix user, or the name of an API key; nil if none of these is
    /// known, for example for a device's message.
    package let requestedBy: String?
    package let approval: Approvals.Number?
    package let approvedBy: String?
    package let approvedAt: Timestamp?
    /// The request as JSON, without its content if that is stored encrypted.
    package let request: String
    package let dueAt: Timestamp?
    /// The pace in force now, which can differ from the one requested; nil if there is none.
    package let pace: Pace?
    package let repetition: Repetition?
    package let holds: Holds
  }

  /// The repetition that the message is an occurrence of.
  package struct Repetition: Sendable {
    package let unit: String
    /// The last day, as `yyyy-mm-dd`.
    package let until: String
    /// The number of this occurrence, counted from 0.
    package let occurrence: Int32
    package let isEnded: Bool
  }

  /// What can delay the message.
  package struct Holds: Sendable {
    package let isAppPaused: Bool
    package let isHeldForApproval: Bool
    /// When the pace next allows devices to be claimed; nil if it allows that now, or if there is no pace.
    package let paceUntil: Timestamp?
    package let canary: Canary.Phase?
    /// When the canary's result is judged; nil unless all of its devices are claimed and the result is awaited.
    package let canaryUntil: Timestamp?
    /// When the daily send window in the app's time zone opens; nil if it is open or there is none.
    package let windowUntil: Timestamp?
    /// For a message by local time: when its next wave is due; nil if all waves but the sweep have begun, or before the
    /// message has been planned. Nil for other messages.
    package let localTimeUntil: Timestamp?
  }

  private static let findStatement = Statement(
    "message-records-find",
    """
    SELECT m.app, a.app_id, m.state, m.purpose, m.created_at,
      CASE WHEN m.asked_by LIKE 'account %'
        THEN (SELECT login FROM accounts WHERE account = substr(m.asked_by, 9)::integer)
        WHEN m.asked_by LIKE 'unix %' THEN substr(m.asked_by, 6)
        ELSE (SELECT name FROM api_keys k WHERE k.api_key = m.api_key) END,
      p.approval, p.decided_by, p.decided_at, m.request::text, m.due_at, g.pace_devices, g.pace_wait,
      s.unit, s.last_day::text, m.occurrence, s.ended_at IS NOT NULL,
      a.paused_reason IS NOT NULL, m.held = \(MessageHold.waiting.sql),
        CASE WHEN g.ready_at > clock_timestamp() THEN g.ready_at END,
      g.canary_phase, CASE WHEN g.canary_phase = \(Canary.Phase.watching.sql) THEN g.canary_until END,
      window_opens_at(clock_timestamp(), \(TimeZones.ofApp), g.window_opens, g.window_closes),
      -- The sweep waits for the others, and for no time.
      (SELECT min(w.due_at) FROM waves w WHERE w.seqno = m.seqno AND NOT w.opened AND NOT w.sweeps)
    FROM messages m JOIN apps a ON a.app = m.app LEFT JOIN gates g ON g.seqno = m.seqno
    LEFT JOIN schedules s ON s.schedule = m.schedule
    LEFT JOIN LATERAL (
      SELECT * FROM approvals WHERE approvals.seqno = m.seqno
        AND approvals.state = \(Approvals.State.approved.sql) ORDER BY approval DESC LIMIT 1) p
      ON true
    WHERE m.seqno = $1
    """)

  package static func find(_ seqno: Seqno) -> Query<Record?> {
    Query(first: findStatement, seqno) { row in
      Record(
        app: row.int32(), appID: row.text(), state: MessageState(rawValue: row.int16()) ?? .queued,
        purpose: MessagePurpose(rawValue: row.int16()) ?? .campaign, createdAt: row.timestamp(),
        requestedBy: row.optionalText(), approval: row.optionalInt64(), approvedBy: row.optionalText(),
        approvedAt: row.optionalTimestamp(), request: row.text(), dueAt: row.optionalTimestamp(), pace: row.pace(),
        repetition: repetition(&row),
        holds: Holds(
          isAppPaused: row.bool(), isHeldForApproval: row.bool(), paceUntil: row.optionalTimestamp(),
          canary: row.optionalInt16().flatMap(Canary.Phase.init), canaryUntil: row.optionalTimestamp(),
          windowUntil: row.optionalTimestamp(), localTimeUntil: row.optionalTimestamp()))
    }
  }

  private static func repetition(_ row: inout RowReader) -> Repetition? {
    let (unit, until) = (row.optionalText(), row.optionalText())
    let (occurrence, isEnded) = (row.optionalInt32(), row.optionalBool())
    return unit.map {
      Repetition(unit: $0, until: until ?? "", occurrence: occurrence ?? 0, isEnded: isEnded ?? false)
    }
  }

  /// The deliveries of a message that wait for the same reason.
  package struct Waiting: Sendable {
    package let reason: String
    package let devices: Int64
    /// When the first of these deliveries is due.
    package let until: Timestamp
  }

  private static let waitingStatement = Statement(
    "message-records-waiting",
    """
    SELECT reason, sum(cardinality(places))::bigint, min(due_at) FROM waits WHERE seqno = $1
    GROUP BY reason ORDER BY 2 DESC, 1
    """)

  /// Returns a message's deferred deliveries that are in blocks and have never been tried, grouped by reason, the
  /// largest group first. Empty if there are none. Omits deliveries that wait for a retry.
  package static func waiting(_ seqno: Seqno) -> Query<[Waiting]> {
    Query(each: waitingStatement, seqno) { row in
      Waiting(reason: row.text(), devices: row.int64(), until: row.timestamp())
    }
  }
}
