package import Domain
package import Postgres
package import Time
package import Tracing

/// Claims of event deliveries to webhooks, and the results of delivery attempts.
///
/// An attempt is recorded before it is made: the delivery's due time becomes the end of a lease, and the delivery's
/// fence is incremented. If the node dies, another attempt is made after the lease, with the same event id. A result
/// with an earlier fence is ignored. So a webhook receives each event at least once, unless the delivery is given up or
/// the webhook is deleted, and can recognize duplicates by the id.
package enum EventDeliveries {
  /// An attempt that was recorded and must be made now.
  package struct Attempt: Sendable {
    package let event: Int64
    package let webhook: Webhooks.Number
    package let fence: Int32
    /// Number of attempts, including this one, since the delivery was created or last replayed.
    package let attempts: Int16
    package let id: UUIDValue
    package let appID: String
    package let kind: String
    /// When the event happened.
    package let at: Timestamp
    package let data: [UInt8]
    package let app: App.Number
    /// Confidential members of `data`, encrypted; nil if there are none or they were wiped.
    package let sealed: [UInt8]?
    /// User of an SMS request and their current phone number, encrypted; nil for other events, and if no number is
    /// known. Events do not store the number, because they could not keep it encrypted.
    package let phone: (user: Users.Key, sealed: [UInt8])?
    /// Trace context of the message that the event is about; nil if the event names no stored message, or if the
    /// message is not traced.
    package let trace: TraceContext?
  }

  private static let activeStatement = Statement(
    "event-deliveries-webhooks",
    """
    SELECT w.webhook, w.app, w.url, w.sealed, CASE WHEN w.former_ends_at > now() THEN w.former_sealed END FROM webhooks w
    WHERE w.active AND w.webhook <> ALL ($2::integer[]) AND EXISTS (
      SELECT FROM event_deliveries d WHERE d.webhook = w.webhook
        AND d.state = \(Events.State.waiting.sql) AND d.due_at <= clock_timestamp())
    -- The first webhook of every app, then the second of every app: however many one app has, the others have their turn.
    -- Where that is more than a round takes, the next round goes on behind it.
    ORDER BY row_number() OVER (PARTITION BY w.app ORDER BY w.webhook <= $3, w.webhook), w.webhook <= $3, w.webhook
    LIMIT $1
    """)

  /// A webhook with due deliveries.
  package struct Listener: Sendable {
    package let webhook: Webhooks.Number
    package let app: App.Number
    package let url: String
    /// The webhook's signing secrets, encrypted: the current one and, until it expires, the previous one.
    package let sealed: [[UInt8]]
  }

  /// Returns at most `limit` active webhooks with due deliveries: the first webhook of each app, then the second of
  /// each, and so on. So an app with many webhooks does not delay the others.
  /// - Parameters:
  ///   - busy: webhooks to exclude, because they have no capacity at present.
  ///   - last: the last webhook of the previous call; 0 at first. Webhooks with higher numbers take precedence over the
  ///     other webhooks of their app.
  package static func webhooks(
    atMost limit: Int, without busy: [Webhooks.Number] = [], after last: Webhooks.Number = 0
  ) -> Query<[Listener]> {
    var column = Int32Column()
    for webhook in busy { column.append(webhook) }
    return Query(each: activeStatement, limit, column, last) { row in
      Listener(
        webhook: row.int32(), app: row.int32(), url: row.text(),
        sealed: [row.bytes(), row.optionalBytes()].compactMap { $0 })
    }
  }

  private static let takeStatement = Statement(
    "event-deliveries-take",
    """
    UPDATE event_deliveries d SET attempts = (d.attempts + 1)::smallint, fence = d.fence + 1,
      due_at = clock_timestamp() + make_interval(secs => $3)
    FROM (
      SELECT event, webhook FROM event_deliveries
      WHERE webhook = $1 AND state = \(Events.State.waiting.sql) AND due_at <= clock_timestamp()
        AND ($4::bigint IS NULL OR event = $4)
      ORDER BY due_at, event LIMIT $2 FOR UPDATE SKIP LOCKED) t, events e, apps a
    WHERE d.event = t.event AND d.webhook = t.webhook AND e.event = d.event AND a.app = e.app
    RETURNING d.event, d.webhook, d.fence, d.attempts, e.id, a.app_id, e.event_kind, e.at, e.data::text, e.app,
      'u' || (e.data->>'clientUid'),
      (SELECT u.phone FROM users u
        WHERE e.event_kind = '\(EventKind.smsRequested.rawValue)' AND u.app = e.app AND u.user_key = 'u' || (e.data->>'clientUid')),
      e.sealed,
      -- An event that is about a message names it by its SEQNO.
      (SELECT m.trace FROM messages m
        WHERE m.seqno = CASE WHEN e.data->>'seqno' ~ '^[0-9]{1,18}$' THEN (e.data->>'seqno')::bigint END)
    """)

  /// Leases at most `limit` due deliveries of a webhook for `leaseSeconds`, longest due first, and counts an attempt
  /// for each. Skips locked rows. Empty if nothing is due.
  /// - Parameter event: the only event whose delivery may be leased; nil for any.
  package static func take(
    _ webhook: Webhooks.Number, only event: Int64? = nil, atMost limit: Int, leaseSeconds: Int32
  ) -> Query<[Attempt]> {
    Query(each: takeStatement, webhook, limit, leaseSeconds, event) { row in
      let (event, webhook, fence, attempts) = (row.int64(), row.int32(), row.int32(), row.int16())
      let (id, appID, kind, at, data) = (row.uuid(), row.text(), row.text(), row.timestamp(), row.bytes())
      let (app, user, phone) = (row.int32(), row.optionalText(), row.optionalBytes())
      var owned: (Users.Key, [UInt8])?
      if let user, let phone { owned = (Users.Key(app: app, userKey: UserKey(stored: user)), phone) }
      return Attempt(
        event: event, webhook: webhook, fence: fence, attempts: attempts, id: id, appID: appID, kind: kind, at: at,
        data: data, app: app, sealed: row.optionalBytes(), phone: owned,
        trace: row.optionalBytes().flatMap { TraceContext(stored: $0) })
    }
  }

  private static let lockStatement = Statement(
    "event-deliveries-lock",
    """
    SELECT event FROM event_deliveries
    WHERE webhook = $1 AND state = \(Events.State.waiting.sql) AND due_at <= clock_timestamp()
    ORDER BY due_at, event LIMIT 1 FOR UPDATE SKIP LOCKED
    """)

  /// Locks the webhook's longest due delivery that is not locked, and returns its event; nil if there is none.
  package static func lock(_ webhook: Webhooks.Number) -> Query<Int64?> {
    Query(first: lockStatement, webhook) { $0.int64() }
  }

  private static let giveUpStatement = Statement(
    "event-deliveries-give-up",
    """
    UPDATE event_deliveries SET state = \(Events.State.dead.sql), reason = left($3, 200),
      ended_at = clock_timestamp()
    WHERE (event, webhook) IN (
      SELECT event, webhook FROM event_deliveries WHERE event = $1 AND webhook = $2
        AND state = \(Events.State.waiting.sql) AND due_at <= clock_timestamp()
      FOR UPDATE SKIP LOCKED)
    RETURNING event
    """)

  /// Gives up a due delivery, because claiming it fails. Returns false, changing nothing, if it has ended or is no
  /// longer due, or is locked because somebody is claiming it. The delivery can be replayed.
  package static func giveUp(_ event: Int64, to webhook: Webhooks.Number, because reason: String) -> Query<Bool> {
    Query(giveUpStatement, event, webhook, reason) { $0.count == 1 }
  }

  /// The result of an attempt.
  package struct Result: Sendable {
    package let event: Int64
    package let webhook: Webhooks.Number
    package let fence: Int32
    package var state: Events.State
    /// Seconds until the next attempt; used if the state is `waiting`.
    package var afterSeconds: Int32
    package var status: Int16?
    package var reason: String?
    /// Duration of the request, in milliseconds.
    package var milliseconds: Int32 = 0

    package init(_ attempt: Attempt, _ state: Events.State, afterSeconds: Int32 = 0) {
      event = attempt.event
      webhook = attempt.webhook
      fence = attempt.fence
      self.state = state
      self.afterSeconds = afterSeconds
    }
  }

  /// Maximum number of attempts kept with a delivery; older ones are dropped. Enough for two full rounds of retries.
  private static let keptAttempts = 24

  private static let endStatement = Statement(
    "event-deliveries-end",
    """
    UPDATE event_deliveries d SET state = t.state, status = t.status, reason = t.reason,
      due_at = clock_timestamp() + make_interval(secs => t.seconds),
      ended_at = CASE WHEN t.state > \(Events.State.waiting.sql) THEN clock_timestamp() END,
      -- The oldest gives way.
      history = CASE WHEN jsonb_array_length(d.history) < \(keptAttempts) THEN d.history ELSE d.history - 0 END
        || jsonb_build_object('at', to_char((clock_timestamp() - t.ms * interval '1 ms') AT TIME ZONE 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'status', t.status, 'milliseconds', t.ms, 'reason', t.reason)
    FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::smallint[], $5::integer[], $6::smallint[],
      $7::text[], $8::integer[]) AS t(event, webhook, fence, state, seconds, status, reason, ms)
    WHERE d.event = t.event AND d.webhook = t.webhook
      -- Whoever took too long, or was asked to begin anew, has nothing to say any more.
      AND d.fence = t.fence AND d.state = \(Events.State.waiting.sql)
    """)

  /// Records the results of attempts. Ignores the result of an attempt whose lease was lost to another attempt or whose
  /// delivery was replayed or has ended meanwhile.
  package static func end(_ results: [Result]) -> Query<Void> {
    var events = Int64Column()
    var (webhooks, fences, seconds) = (Int32Column(), Int32Column(), Int32Column())
    var milliseconds = Int32Column()
    var (states, statuses) = (Int16Column(), Int16Column())
    var reasons = TextColumn()
    for result in results {
      events.append(result.event)
      webhooks.append(result.webhook)
      fences.append(result.fence)
      states.append(result.state.rawValue)
      seconds.append(result.afterSeconds)
      statuses.append(result.status)
      reasons.append(result.reason)
      milliseconds.append(result.milliseconds)
    }
    return Query(endStatement, events, webhooks, fences, states, seconds, statuses, reasons, milliseconds) { _ in }
  }
}
