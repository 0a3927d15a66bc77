package import Domain
internal import Postgres
package import Time

/// Queries for lists of messages and for the failed deliveries of one message.
package enum MessageLists {
  package struct Record: Sendable {
    package let app: App.Number
    package let appID: String
    package let lane: Lane
    package let purpose: MessagePurpose
    /// The request's alert as JSON; nil if there is none, the message is confidential, or the request's stored size is
    /// 64 KiB or more.
    package let alert: String?
    /// The sender that the request names; nil if it names none, or if its stored size is 64 KiB or more.
    package let sender: String?
    package let createdAt: Timestamp
    package let finishedAt: Timestamp?
    package let apiKey: Int32?
    /// Who requested the message: an account's login, a Unix user, or the name of an API key; nil if none of these is
    /// known, for example for a device's message.
    package let requestedBy: String?
    package let funnel: Funnel
  }

  /// The conditions that listed messages must meet; nil means no condition.
  package struct Filter: Sendable {
    package var app: App.Number?
    package var state: MessageState?
    /// True to list only messages that have not ended.
    package var isOpen = false
    package var purpose: MessagePurpose?
    package var lane: Lane?
    /// The earliest creation time.
    package var from: Timestamp?
    /// The end of the creation times, exclusive.
    package var to: Timestamp?
    /// Lists only messages that ended at or after this time, or have not ended.
    package var activeFrom: Timestamp?
    /// Text that the title, subtitle or body must contain, ignoring case. Requests with a stored size of 64 KiB
    /// or more never match.
    package var text: String?
    package var sender: String?

    package init() {}
  }

  // MARK: Indexes

  /// The index by which a list is read. Open messages, campaigns and tests have their own indexes, so that they need
  /// not be searched for among all messages.
  private enum Source {
    case all, ofApp, open, campaigns, openCampaigns, tests

    init(_ filter: Filter) {
      let isOpen = filter.isOpen || filter.state.map { !$0.isFinal } ?? false
      self =
        switch filter.purpose {
        case .campaign: isOpen ? .openCampaigns : .campaigns
        case .test: isOpen ? .open : .tests
        case .single, nil: isOpen ? .open : filter.app == nil ? .all : .ofApp
        }
    }
  }

  /// Returns an SQL expression for the alert of a row with the column `request`, as lists show it: of one of 16 KiB and
  /// more only the title and the beginning of the text. A text can have 256 KiB, and a list 1,000 of them.
  static func alert(of row: String) -> String {
    """
    CASE WHEN octet_length(\(row).request::text) < 16384 OR octet_length((\(row).request->'alert')::text) < 16384
      THEN (\(row).request->'alert')::text
      WHEN json_typeof(\(row).request->'alert') = 'object'
      THEN json_strip_nulls(json_build_object('title', \(row).request#>>'{alert,title}',
        'body', left(\(row).request#>>'{alert,body}', 200)))::text
      ELSE to_json(left(\(row).request->>'alert', 200))::text END
    """
  }

  private static let columns = """
    m.seqno, m.state, m.targeted, m.due_at, m.state_reason, m.resend_of, t.*,
    coalesce((m.request->>'confidential')::boolean, false), m.app, a.app_id, m.lane, m.purpose,
    -- A request may name 10,000 users: such a one is not read for a list.
    CASE WHEN pg_column_size(m.request) < 65536 AND m.request->>'confidential' IS DISTINCT FROM 'true'
      THEN \(alert(of: "m")) END,
    CASE WHEN pg_column_size(m.request) < 65536 THEN m.request->>'sender' END,
    m.created_at, m.finished_at, m.api_key,
    CASE WHEN m.asked_by LIKE 'account %'
      THEN (SELECT login FROM accounts WHERE account = substr(m.asked_by, 9)::integer)
      WHEN m.asked_by LIKE 'unix %' THEN substr(m.asked_by, 6)
      ELSE (SELECT name FROM api_keys k WHERE k.api_key = m.api_key) END
    """

  /// The beginning of each list statement. After it comes a SELECT of the newest `$2` messages of a source, among which
  /// the page is searched, and then `matching`.
  private static let among = """
    SELECT \(columns) FROM (
      SELECT * FROM (
    """

  private static let matching = """
    ) looked
      WHERE ($3::integer IS NULL OR app = $3) AND ($4::smallint IS NULL OR state = $4)
        AND ($5::smallint IS NULL OR lane = $5) AND ($6::timestamptz IS NULL OR created_at >= $6)
        AND ($7::timestamptz IS NULL OR created_at < $7) AND ($9::smallint IS NULL OR purpose = $9)
        AND ($10::text IS NULL OR CASE WHEN pg_column_size(request) < 65536 THEN concat_ws(' ',
          CASE WHEN json_typeof(request->'alert') = 'string' THEN request->>'alert' END, request#>>'{alert,title}',
          request#>>'{alert,subtitle}', request#>>'{alert,body}') ILIKE $10 ELSE false END)
        AND ($11::text IS NULL
          OR CASE WHEN pg_column_size(request) < 65536 THEN coalesce(request->>'sender', 'admin') = $11 ELSE false END)
        AND ($12::timestamptz IS NULL OR finished_at IS NULL OR finished_at >= $12)
      ORDER BY seqno DESC LIMIT $8) m
    JOIN apps a ON a.app = m.app
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(accepted), 0)::bigint, coalesce(sum(rejected), 0)::bigint,
        coalesce(sum(expired), 0)::bigint, coalesce(sum(cancelled), 0)::bigint, coalesce(sum(skipped), 0)::bigint,
        coalesce(sum(t.received), 0)::bigint + min(u.received), coalesce(sum(t.read), 0)::bigint + min(u.read)
      FROM unfolded_confirmations(m.seqno) u LEFT JOIN message_totals t ON t.seqno = m.seqno) t
    ORDER BY m.seqno DESC
    """

  /// SQL that selects the newest `$2` open messages before `$1`, reading the states separately, because they have
  /// separate indexes.
  private static let openOnes = """
    SELECT * FROM (
      (SELECT * FROM messages WHERE state = \(MessageState.scheduled.sql) AND seqno < $1 ORDER BY seqno DESC LIMIT $2)
      UNION ALL (SELECT * FROM messages WHERE lane = 0
        AND state IN (\(MessageState.queued.sql), \(MessageState.sending.sql)) AND seqno < $1
        ORDER BY seqno DESC LIMIT $2)
      UNION ALL (SELECT * FROM messages WHERE lane = 1
        AND state IN (\(MessageState.queued.sql), \(MessageState.sending.sql)) AND seqno < $1
        ORDER BY seqno DESC LIMIT $2)
      UNION ALL (SELECT * FROM messages WHERE lane = 2
        AND state IN (\(MessageState.queued.sql), \(MessageState.sending.sql)) AND seqno < $1
        ORDER BY seqno DESC LIMIT $2)
      UNION ALL (SELECT * FROM messages WHERE state = \(MessageState.paused.sql) AND seqno < $1
        ORDER BY seqno DESC LIMIT $2)) every
    ORDER BY seqno DESC LIMIT $2
    """

  private static let allStatement = Statement(
    "message-lists-all",
    """
    \(among) SELECT * FROM messages WHERE seqno < $1 ORDER BY seqno DESC LIMIT $2 \(matching)
    """)
  private static let ofAppStatement = Statement(
    "message-lists-of-app",
    """
    \(among) SELECT * FROM messages WHERE app = $3 AND seqno < $1 ORDER BY seqno DESC LIMIT $2 \(matching)
    """)
  private static let openStatement = Statement(
    "message-lists-open",
    """
    \(among) \(openOnes) \(matching)
    """)
  private static let campaignsStatement = Statement(
    "message-lists-campaigns",
    """
    \(among) SELECT * FROM messages WHERE purpose = 0 AND seqno < $1 ORDER BY seqno DESC LIMIT $2 \(matching)
    """)
  private static let openCampaignsStatement = Statement(
    "message-lists-open-campaigns",
    """
    \(among) SELECT * FROM messages WHERE purpose = 0 AND state < \(MessageState.completed.sql)
      AND seqno < $1 ORDER BY seqno DESC LIMIT $2 \(matching)
    """)
  private static let testsStatement = Statement(
    "message-lists-tests",
    """
    \(among) SELECT * FROM messages WHERE purpose = 2 AND seqno < $1 ORDER BY seqno DESC LIMIT $2 \(matching)
    """)

  /// Returns at most `limit` matching messages with SEQNOs below `seqno`, newest first. Searches only the newest
  /// `window` messages that the filter's index contains below `seqno`, so even an empty list can have a next page
  /// (`edge`).
  package static func list(_ filter: Filter, before seqno: Seqno, window: Int, limit: Int) -> Query<[Record]> {
    let statement =
      switch Source(filter) {
      case .all: allStatement
      case .ofApp: ofAppStatement
      case .open: openStatement
      case .campaigns: campaignsStatement
      case .openCampaigns: openCampaignsStatement
      case .tests: testsStatement
      }
    return Query(
      each: statement, seqno, window, filter.app, filter.state?.rawValue, filter.lane?.rawValue,
      filter.from, filter.to, limit, filter.purpose?.rawValue,
      filter.text.map(Self.pattern), filter.sender, filter.activeFrom, read: record)
  }

  /// Returns an ILIKE pattern for strings that contain the text literally.
  static func pattern(_ text: String) -> String {
    let plain = text.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
    return "%\(plain)%"
  }

  private static func record(_ row: inout RowReader) -> Record {
    var funnel = Funnel(
      seqno: row.seqno(), state: MessageState(rawValue: row.int16()) ?? .queued, targeted: row.optionalInt64())
    funnel.dueAt = row.optionalTimestamp()
    funnel.stateReason = row.optionalText()
    funnel.resendOf = row.optionalSeqno()
    funnel.readTotals(&row)
    funnel.isConfidential = row.bool()
    return Record(
      app: row.int32(), appID: row.text(), lane: Lane(rawValue: row.int16()) ?? .normal,
      purpose: MessagePurpose(rawValue: row.int16()) ?? .campaign, alert: row.optionalText(),
      sender: row.optionalText(), createdAt: row.timestamp(), finishedAt: row.optionalTimestamp(),
      apiKey: row.optionalInt32(), requestedBy: row.optionalText(), funnel: funnel)
  }

  private static let edgeStatement = Statement(
    "message-lists-edge", "SELECT seqno FROM messages WHERE seqno < $1 ORDER BY seqno DESC OFFSET $2 - 1 LIMIT 1")
  private static let edgeOfAppStatement = Statement(
    "message-lists-edge-of-app",
    "SELECT seqno FROM messages WHERE app = $3 AND seqno < $1 ORDER BY seqno DESC OFFSET $2 - 1 LIMIT 1")
  private static let edgeOfOpenStatement = Statement(
    "message-lists-edge-of-open",
    """
    SELECT seqno FROM (\(openOnes)) open ORDER BY seqno DESC OFFSET $2 - 1 LIMIT 1
    """)
  private static let edgeOfCampaignsStatement = Statement(
    "message-lists-edge-of-campaigns",
    "SELECT seqno FROM messages WHERE purpose = 0 AND seqno < $1 ORDER BY seqno DESC OFFSET $2 - 1 LIMIT 1")
  private static let edgeOfOpenCampaignsStatement = Statement(
    "message-lists-edge-of-open-campaigns",
    """
    SELECT seqno FROM messages WHERE purpose = 0 AND state < \(MessageState.completed.sql) AND seqno < $1
      ORDER BY seqno DESC OFFSET $2 - 1 LIMIT 1
    """)
  private static let edgeOfTestsStatement = Statement(
    "message-lists-edge-of-tests",
    "SELECT seqno FROM messages WHERE purpose = 2 AND seqno < $1 ORDER BY seqno DESC OFFSET $2 - 1 LIMIT 1")

  /// Returns the last message that a search of `window` covers, from which the next page continues; nil if the list
  /// ends before that.
  package static func edge(_ filter: Filter, before seqno: Seqno, window: Int) -> Query<Seqno?> {
    let source = Source(filter)
    let statement =
      switch source {
      case .all: edgeStatement
      case .ofApp: edgeOfAppStatement
      case .open: edgeOfOpenStatement
      case .campaigns: edgeOfCampaignsStatement
      case .openCampaigns: edgeOfOpenCampaignsStatement
      case .tests: edgeOfTestsStatement
      }
    var parameters = Parameters()
    parameters.append(seqno)
    parameters.append(window)
    if source == .ofApp { parameters.append(filter.app) }
    return Query(statement, parameters) { $0.decodeFirst { $0.seqno() } }
  }

  // MARK: Failures

  private static let failuresStatement = Statement(
    "message-lists-failures",
    """
    SELECT f.device, f.user_key, f.status, f.reason, abs(f.attempts), f.at FROM (
      SELECT * FROM outcomes WHERE seqno = $1
        AND status IN (\(DeliveryPages.failures))
        AND device > $2 ORDER BY device LIMIT $5) f
    WHERE ($3 IS NULL OR f.reason = $3) ORDER BY f.device LIMIT $4
    """)

  /// Returns at most `limit` of a message's rejected, expired or skipped deliveries that are stored as rows, in order
  /// of device, starting after `device`. Reads at most `window` rows.
  /// - Parameter reason: the only reason to include; nil for all.
  static func failures(
    of seqno: Seqno, after device: DeviceID, reason: String?, window: Int, limit: Int
  ) -> Query<[DeliveryPages.Delivery]> {
    Query(each: failuresStatement, seqno, device, reason, limit, window) { row in
      let device = row.device()
      return DeliveryPages.Delivery(
        place: .row(device), device: device, userKey: row.userKey(),
        status: OutcomeStatus(rawValue: row.int16()) ?? .rejected, reason: row.optionalText(),
        attempts: row.int16(), at: row.timestamp(), receivedAt: nil, readAt: nil)
    }
  }

  private static let failuresEdgeStatement = Statement(
    "message-lists-failures-edge",
    """
    SELECT device FROM outcomes WHERE seqno = $1
      AND status IN (\(DeliveryPages.failures))
      AND device > $2
    ORDER BY device OFFSET $3 - 1 LIMIT 1
    """)

  /// Returns the device of the last row that a search of `window` rows covers, from which the next page continues; nil
  /// if fewer than `window` rows are left, so that the search is complete.
  static func failuresEdge(of seqno: Seqno, after device: DeviceID, window: Int) -> Query<DeviceID?> {
    Query(first: failuresEdgeStatement, seqno, device, window) { $0.device() }
  }
}
