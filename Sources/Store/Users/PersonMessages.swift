package import Domain
internal import Postgres
package import Time

/// The search for the messages that were sent to one person.
///
/// There is no index from a person to deliveries, because it would raise the cost of every delivery by half. Instead, a
/// search reads the app's messages, newest first and a batch at a time. For each message, it looks up each of the
/// person's devices in the primary key of `outcomes`, which takes a few microseconds, and the person's key in blocks
/// and claims.
package enum PersonMessages {
  private static let recentStatement = Statement(
    "person-messages-recent",
    """
    SELECT seqno, finished_at IS NOT NULL FROM (
      SELECT seqno, created_at, finished_at FROM messages WHERE app = $1 AND seqno < $2 ORDER BY seqno DESC LIMIT $4) m
    WHERE created_at > $3 ORDER BY seqno DESC
    """)

  /// Returns an app's messages with SEQNOs below `seqno`, newest first, and whether they have ended. Reads at most
  /// `limit` messages.
  /// - Parameter since: of the messages read, only those created after this time are returned.
  package static func recent(
    of app: App.Number, before seqno: Seqno, since: Timestamp, limit: Int
  ) -> Query<[(seqno: Seqno, hasEnded: Bool)]> {
    Query(each: recentStatement, app, seqno, since, limit) { ($0.seqno(), $0.bool()) }
  }

  private static let findStatement = Statement(
    "person-messages-find",
    """
    -- Place by place: asked for by lists, a plan may read the whole of each message.
    SELECT o.seqno FROM unnest($1) AS s(seqno) CROSS JOIN unnest($2) AS d(device)
      JOIN outcomes o ON o.seqno = s.seqno AND o.device = d.device
    WHERE o.user_key = $3
    UNION
    -- Under way, while there is no outcome yet.
    SELECT seqno FROM claims WHERE seqno = ANY($4) AND user_keys @> ARRAY[$3]
    UNION
    SELECT s.seqno FROM unnest($1) AS s(seqno) WHERE EXISTS (SELECT FROM block_deliveries(s.seqno, $3))
    ORDER BY seqno DESC
    """)

  /// Returns those of the messages that have a delivery to the user, newest first. Deliveries in blocks or in progress
  /// are found on any device, all others only on `devices`.
  package static func find(
    _ messages: [(seqno: Seqno, hasEnded: Bool)], for user: UserKey, on devices: [DeviceID]
  ) -> Query<[Seqno]> {
    var ids = UUIDColumn()
    for device in devices { ids.append(device) }
    return Query(
      each:
        findStatement, column(messages.map(\.seqno)), ids, user.text,
      column(messages.filter { !$0.hasEnded }.map(\.seqno))
    ) { $0.seqno() }
  }

  // MARK: Details

  package struct Message: Sendable {
    package let seqno: Seqno
    package let lane: Lane
    package let state: MessageState
    package let createdAt: Timestamp
    package let dueAt: Timestamp?
    /// The message's kind. Like `sender` and `title`, it is nil if the request's stored size is 64 KiB or more,
    /// which is too large to be read for a list.
    package let kind: String?
    package let sender: String?
    /// The title; nil if the message has none, is confidential, or has too large a request.
    package let title: String?
    /// True if the message is confidential. If the request is too large to be read, false after the message's content
    /// has been deleted, because the fact is then unknown.
    package let isConfidential: Bool
    package let fallback: Fallback?
  }

  /// The state of the message's SMS fallback for the user.
  package struct Fallback: Sendable {
    package let dueAt: Timestamp
    /// The decision; nil while there is none.
    package let decision: Fallbacks.Decision?
    package let decidedAt: Timestamp?
  }

  private static let messagesStatement = Statement(
    "person-messages-messages",
    """
    SELECT m.seqno, m.lane, m.state, m.created_at, m.due_at,
      CASE WHEN r.said IS NOT NULL THEN coalesce(r.said->>'kind', 'notice') END,
      CASE WHEN r.said IS NOT NULL THEN coalesce(r.said->>'sender', 'admin') END,
      CASE WHEN r.said->>'confidential' IS DISTINCT FROM 'true' AND json_typeof(r.said->'alert') = 'object'
        THEN r.said->'alert'->>'title' END,
      m.sealed IS NOT NULL OR r.said->>'confidential' IS NOT DISTINCT FROM 'true', f.due_at, f.decision, f.decided_at
    FROM messages m
    -- A request may name 10,000 users: such a one is not read for a list.
    CROSS JOIN LATERAL (SELECT CASE WHEN pg_column_size(m.request) < 65536 THEN m.request END AS said) r
    LEFT JOIN fallbacks f ON f.seqno = m.seqno AND f.user_key = $2 AND f.app = $1
    WHERE m.seqno = ANY($3) ORDER BY m.seqno DESC
    """)

  /// Returns messages, newest first, with the state of their SMS fallback for the user. Messages that do not exist are
  /// omitted.
  package static func messages(_ seqnos: [Seqno], of user: Users.Key) -> Query<[Message]> {
    var parameters = parameters(user)
    parameters.append(column(seqnos))
    return Query(messagesStatement, parameters) { rows in
      rows.decode { row in
        Message(
          seqno: row.seqno(), lane: Lane(rawValue: row.int16()) ?? .normal,
          state: MessageState(rawValue: row.int16()) ?? .queued, createdAt: row.timestamp(),
          dueAt: row.optionalTimestamp(), kind: row.optionalText(), sender: row.optionalText(),
          title: row.optionalText(), isConfidential: row.bool(), fallback: fallback(&row))
      }
    }
  }

  private static func fallback(_ row: inout RowReader) -> Fallback? {
    let (dueAt, decision, decidedAt) = (row.optionalTimestamp(), row.optionalInt16(), row.optionalTimestamp())
    return dueAt.map {
      Fallback(dueAt: $0, decision: decision.flatMap(Fallbacks.Decision.init), decidedAt: decidedAt)
    }
  }

  /// A message's delivery to one device of the user.
  package struct Delivery: Sendable {
    package let device: DeviceID
    package let status: OutcomeStatus
    package let reason: String?
    package let attempts: Int16
    /// When the last attempt ended; nil while the first attempt is in progress.
    package let at: Timestamp?
    package let receivedAt: Timestamp?
    package let readAt: Timestamp?
  }

  private static let deliveriesStatement = Statement(
    "person-messages-deliveries",
    """
    SELECT o.seqno, o.device, o.status, o.reason, abs(o.attempts), o.at,
      delivery_confirmed(o.seqno, o.device, $2, false), delivery_confirmed(o.seqno, o.device, $2, true)
    FROM unnest($3) AS t(seqno) CROSS JOIN LATERAL (
      SELECT * FROM outcomes o WHERE o.seqno = t.seqno AND o.device = ANY($4) AND o.user_key = $2 LIMIT $5) o
    UNION ALL
    SELECT c.seqno, k.device, 6::smallint, NULL, 0::smallint, NULL, NULL, NULL
    FROM messages m JOIN claims c ON c.seqno = m.seqno
    CROSS JOIN LATERAL unnest(c.devices, c.user_keys) AS k(device, user_key)
    WHERE m.seqno = ANY($3) AND m.app = $1 AND m.finished_at IS NULL AND c.user_keys @> ARRAY[$2] AND k.user_key = $2
      AND NOT EXISTS (SELECT FROM outcomes o WHERE o.seqno = c.seqno AND o.device = k.device)
    UNION ALL
    SELECT t.seqno, b.device, b.status, b.reason, b.attempts, b.at,
      delivery_confirmed(t.seqno, b.device, $2, false), delivery_confirmed(t.seqno, b.device, $2, true)
    FROM unnest($3) AS t(seqno) CROSS JOIN LATERAL block_deliveries(t.seqno, $2) b
    """)

  /// Returns the deliveries of messages to the user, by message. Deliveries in blocks or in progress are found on any
  /// device, all others only on `devices`. Messages without deliveries are omitted.
  package static func deliveries(
    of seqnos: [Seqno], for user: Users.Key, on devices: [DeviceID]
  ) -> Query<[Seqno: [Delivery]]> {
    var column = UUIDColumn()
    for device in devices { column.append(device) }
    var parameters = parameters(user)
    parameters.append(Self.column(seqnos))
    parameters.append(column)
    parameters.append(devices.count)
    return Query(deliveriesStatement, parameters) { rows in
      var found: [Seqno: [Delivery]] = [:]
      rows.forEach { row in
        let seqno = row.seqno()
        found[seqno, default: []].append(
          Delivery(
            device: row.device(), status: OutcomeStatus(rawValue: row.int16()) ?? .deferred,
            reason: row.optionalText(), attempts: row.int16(), at: row.optionalTimestamp(),
            receivedAt: row.optionalTimestamp(), readAt: row.optionalTimestamp()))
      }
      return found
    }
  }

  private static func parameters(_ user: Users.Key) -> Parameters {
    return Parameters(user.app, user.userKey.text)
  }

  private static func column(_ seqnos: [Seqno]) -> Int64Column {
    var column = Int64Column()
    for seqno in seqnos { column.append(seqno) }
    return column
  }
}
