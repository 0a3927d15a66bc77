package import Domain
package import Postgres
package import Time

/// Events for the customers' own servers. An event is written in the same transaction as the change it reports, so that
/// events match exactly what happened.
///
/// An event is created with one delivery for each active webhook that subscribes to the event's kind; a test event, for
/// the tested webhook only. `replay` can add deliveries later.
package enum Events {
  /// A new event.
  package struct New: Sendable {
    package let app: App.Number
    package let kind: EventKind
    /// Deduplication key of an event that happens only once; nil if it may happen again.
    package let subject: String?
    /// The event's data as a JSON object.
    package let data: [UInt8]
    /// Confidential members of `data`: a JSON object, encrypted; nil if there are none.
    package var sealed: [UInt8]?

    package init(app: App.Number, kind: EventKind, subject: String?, data: [UInt8]) {
      self.app = app
      self.kind = kind
      self.subject = subject
      self.data = data
    }
  }

  /// SQL to follow a CTE `made` with new events (`event`, `app`, `event_kind`): creates their deliveries.
  static let tell = """
    INSERT INTO event_deliveries (event, webhook, due_at)
    SELECT m.event, w.webhook, clock_timestamp() FROM made m
    JOIN webhooks w ON w.app = m.app AND w.active AND m.event_kind = ANY(w.kinds)
    """

  private static let addStatement = Statement(
    "events-add",
    """
    WITH made AS (
      INSERT INTO events (app, event_kind, at, subject, data, sealed)
      SELECT app, event_kind, clock_timestamp(), subject, data::json, sealed FROM unnest($1, $2, $3, $4::text[], $5)
        AS t(app, event_kind, subject, data, sealed)
      -- What happens once is told once.
      ON CONFLICT (app, event_kind, subject) WHERE subject IS NOT NULL DO NOTHING
      RETURNING event, app, event_kind)
    \(Events.tell)
    """)

  /// Writes events and their deliveries. Ignores an event if one of the same app, kind and subject exists. Stores an
  /// event even if no webhook subscribes to it.
  package static func add(_ events: [New]) -> Query<Void> {
    var (apps, kinds, subjects, data) = (Int32Column(), TextColumn(), TextColumn(), TextColumn())
    var sealed = BytesColumn()
    for event in events {
      apps.append(event.app)
      kinds.append(event.kind.rawValue)
      subjects.append(event.subject)
      data.append(String(decoding: event.data, as: UTF8.self))
      sealed.append(event.sealed)
    }
    return Query(addStatement, apps, kinds, subjects, data, sealed) { _ in }
  }

  private static let testStatement = Statement(
    "events-test",
    """
    WITH made AS (
      INSERT INTO events (app, event_kind, at, data) SELECT app, $2, clock_timestamp(), '{}' FROM webhooks WHERE webhook = $1
      RETURNING event, id)
    , told AS (INSERT INTO event_deliveries (event, webhook, due_at) SELECT event, $1, clock_timestamp() FROM made)
    SELECT id FROM made
    """)

  /// Creates a test event for one webhook, whatever kinds it subscribes to. Returns the event's id; nil if the webhook
  /// does not exist.
  package static func test(_ webhook: Webhooks.Number) -> Query<UUIDValue?> {
    Query(first: testStatement, webhook, EventKind.webhookTest.rawValue) { $0.uuid() }
  }

  // MARK: Events derived in SQL

  /// SQL to follow a CTE `done` with messages that have just ended (`seqno`, `state`, `app`): creates their events and
  /// deliveries, and starts their failure reports, each only for apps with an active webhook that subscribes.
  static let tellFinished = """
    \(Events.makeFinished), \(FailureReportMarks.begin)
    \(Events.tell)
    """

  /// The part of `tellFinished` that creates the events, without deliveries and failure reports: two CTEs, the last of
  /// which is `made`, for a statement that continues with `tell`.
  static let makeFinished = """
    heard AS MATERIALIZED (
      -- Few apps want to hear of it: nothing is summed up for the others.
      SELECT seqno, state FROM done
      WHERE app IN \(EventKind.messageFinished.listeners)
    ), made AS (
      INSERT INTO events (app, event_kind, at, data)
      SELECT m.app, '\(EventKind.messageFinished.rawValue)', clock_timestamp(), json_build_object(
        'seqno', d.seqno::text, 'state', (ARRAY['completed', 'cancelled', 'expired', 'failed'])[d.state - 3],
        'targeted', m.targeted, 'accepted', t.accepted, 'rejected', t.rejected, 'expired', t.expired,
        'cancelled', t.cancelled, 'skipped', t.skipped, 'reference', m.request->'reference', 'createdAt',
        to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      FROM heard d JOIN messages m ON m.seqno = d.seqno, LATERAL (
        SELECT coalesce(sum(accepted), 0)::bigint AS accepted, coalesce(sum(rejected), 0)::bigint AS rejected,
          coalesce(sum(expired), 0)::bigint AS expired, coalesce(sum(cancelled), 0)::bigint AS cancelled,
          coalesce(sum(skipped), 0)::bigint AS skipped
        FROM message_totals WHERE seqno = d.seqno) t
      RETURNING event, app, event_kind)
    """

  private static let finishedStatement = Statement(
    "events-finished",
    """
    WITH done AS (SELECT seqno, state, app FROM messages WHERE seqno = ANY($1)
      AND state >= \(MessageState.completed.sql)), \(tellFinished)
    """)

  /// Writes the events of messages that have ended (completed, cancelled, expired or failed) and starts their failure
  /// reports, each only for apps with an active webhook that subscribes. Ignores messages that have not ended. Call
  /// this in the transaction that ends the messages; another call would write the events again.
  package static func finished(_ seqnos: [Seqno]) -> Query<Void> {
    var column = Int64Column()
    for seqno in seqnos { column.append(seqno) }
    return finished(column)
  }

  static func finished(_ seqnos: Int64Column) -> Query<Void> {
    Query(finishedStatement, seqnos) { _ in }
  }

  /// SQL to follow a CTE `reopened` with messages that have just been reopened (`seqno`, `app`, `request`): closes
  /// their failure reports and, for apps with an active webhook that subscribes, creates events and deliveries.
  static let tellReopened = """
    made AS (
      INSERT INTO events (app, event_kind, at, data)
      SELECT r.app, '\(EventKind.messageReopened.rawValue)', clock_timestamp(), json_build_object(
        'seqno', r.seqno::text, 'reference', r.request->'reference')
      FROM reopened r
      WHERE r.app IN \(EventKind.messageReopened.listeners)
      RETURNING event, app, event_kind), \(FailureReportMarks.halt)
    \(Events.tell)
    """

  /// Members of an event about a device, for `json_build_object`; `d` is the device's row.
  private static let deviceMembers = """
    'pnsId', \(PushNetwork.pnsID(of: "d.network")), 'psidPrefix', left(d.psid, 8), 'deviceId', d.device_id
    """

  private static let droppedStatement = Statement(
    "events-token-dropped",
    """
    WITH made AS (
      INSERT INTO events (app, event_kind, at, data)
      SELECT d.app, $2, clock_timestamp(), json_build_object(
        'device', d.device, 'clientUid', CASE WHEN left(d.user_key, 1) = 'u' THEN substr(d.user_key, 2) END,
        \(deviceMembers))
      FROM devices d WHERE d.device = ANY($1) AND (d.state = \(Devices.State.tokenRefused.sql)
        OR d.quarantined_at IS NOT NULL)
        AND d.app IN \(EventKind.listeners(to: "$2"))
      RETURNING event, app, event_kind)
    \(Events.tell)
    """)

  /// Writes the events of invalid tokens. Call this in the transaction that drops or quarantines their devices, after
  /// the devices' rows were written. Ignores devices in another state, and apps without an active webhook that
  /// subscribes.
  package static func tokensDropped(_ devices: some Collection<DeviceID>) -> Query<Void> {
    var parameters = Devices.ids(devices)
    parameters.append(EventKind.tokenDropped.rawValue)
    return Query(droppedStatement, parameters) { _ in }
  }

  private static let addedStatement = Statement(
    "events-device-added",
    """
    WITH made AS (
      INSERT INTO events (app, event_kind, at, data)
      SELECT d.app, $2, clock_timestamp(), json_build_object(
        'device', d.device, 'clientUid', substr(d.user_key, 2),
        \(deviceMembers), 'identity', (ARRAY['open', 'proof', 'strict'])[d.identity + 1])
      FROM devices d WHERE d.device = ANY($1) AND left(d.user_key, 1) = 'u'
        AND d.app IN \(EventKind.listeners(to: "$2"))
      RETURNING event, app, event_kind)
    \(Events.tell)
    """)

  /// Writes the events of devices that were bound to users who have other devices, which the caller has checked. Call
  /// this in the same transaction, after the devices' rows were written. Ignores guests, and apps without an active
  /// webhook that subscribes.
  package static func devicesAdded(_ devices: some Collection<DeviceID>) -> Query<Void> {
    var parameters = Devices.ids(devices)
    parameters.append(EventKind.deviceAdded.rawValue)
    return Query(addedStatement, parameters) { _ in }
  }

  // MARK: Lists

  /// The state of a delivery; `dead` means given up. The raw values are stored in the database.
  package enum State: Int16, CaseIterable, Sendable {
    case waiting = 0
    case delivered = 1
    case dead = 2

    package var name: String {
      switch self {
      case .waiting: "waiting"
      case .delivered: "delivered"
      case .dead: "dead"
      }
    }
  }

  /// A delivery for lists.
  package struct Entry: Sendable {
    package let event: Int64
    package let id: UUIDValue
    package let kind: String
    package let at: Timestamp
    package let state: State
    package let attempts: Int16
    package let dueAt: Timestamp
    package let status: Int16?
    package let reason: String?
    package let endedAt: Timestamp?
    package let data: [UInt8]
    /// The latest attempts as a JSON array, oldest first.
    package let history: [UInt8]
  }

  /// Planned anew each time: a plan for any webhook would look for a quiet one's deliveries among those of all.
  private static let listStatement = Statement(
    "events-list",
    """
    SELECT l.event, l.id, l.event_kind, l.at, l.state, l.attempts, l.due_at, l.status, l.reason, l.ended_at, l.data::text,
      l.history::text, l.found
    FROM (
      SELECT f.*, sum(f.size) OVER (ORDER BY f.event DESC) - f.size AS size_before, count(*) OVER () AS found FROM (
        SELECT d.event, e.id, e.event_kind, e.at, d.state, d.attempts, d.due_at, d.status, d.reason, d.ended_at, e.data,
          d.history, octet_length(e.data::text) AS size
        FROM event_deliveries d JOIN events e ON e.event = d.event
        WHERE d.webhook = $1 AND d.event < $2 AND ($3::smallint IS NULL OR d.state = $3)
        ORDER BY d.event DESC LIMIT $4) f) l
    WHERE l.size_before < $5 ORDER BY l.event DESC
    """, isKept: false)

  /// Returns at most `limit` deliveries of a webhook with event numbers below `event`, newest first. Ends with the
  /// delivery with which the data of the events have a size of `bytes`.
  /// - Parameter state: the only state to include; nil for all.
  package static func list(
    _ webhook: Webhooks.Number, before event: Int64, state: State?, bytes: Int, limit: Int
  ) -> Query<SizedList<Entry>> {
    Query(listStatement, webhook, event, state?.rawValue, limit, bytes) { rows in
      SizedList(rows) { row in
        Entry(
          event: row.int64(), id: row.uuid(), kind: row.text(),
          at: row.timestamp(), state: State(rawValue: row.int16()) ?? .waiting,
          attempts: row.int16(), dueAt: row.timestamp(),
          status: row.optionalInt16(), reason: row.optionalText(),
          endedAt: row.optionalTimestamp(), data: row.bytes(),
          history: row.bytes())
      }
    }
  }

  // MARK: Replaying

  /// The deliveries to repeat.
  package enum Replay: Sendable {
    /// All deliveries that were given up.
    case dead
    /// All events of the subscribed kinds at or after a time, including events that were delivered before, and events
    /// from before the webhook was created.
    case since(Timestamp)
    /// The event of the webhook's app with this id, of whatever kind.
    case event(UUIDValue)
  }

  private static let reviveStatement = Statement(
    "events-revive",
    """
    UPDATE event_deliveries SET state = \(Events.State.waiting.sql), attempts = 0, fence = fence + 1,
      due_at = clock_timestamp(), ended_at = NULL
    WHERE webhook = $1 AND event IN (
      SELECT event FROM event_deliveries WHERE webhook = $1 AND state = \(Events.State.dead.sql)
        ORDER BY event LIMIT $2 FOR UPDATE SKIP LOCKED)
    """)

  /// Planned anew each time: only the value that is given leads to an index.
  private static let repeatStatement = Statement(
    "events-repeat",
    """
    INSERT INTO event_deliveries (event, webhook, due_at)
    SELECT e.event, w.webhook, clock_timestamp() FROM webhooks w JOIN events e ON e.app = w.app
    WHERE w.webhook = $1 AND ($2::timestamptz IS NULL OR e.at >= $2 AND e.event_kind = ANY(w.kinds))
      AND ($3::uuid IS NULL OR e.id = $3)
    ORDER BY e.event
    ON CONFLICT (event, webhook) DO UPDATE SET state = \(Events.State.waiting.sql), attempts = 0,
      fence = event_deliveries.fence + 1,
      due_at = excluded.due_at, ended_at = NULL
    -- What waits already is told anyway.
    WHERE event_deliveries.state <> \(Events.State.waiting.sql)
    """, isKept: false)

  /// Makes deliveries due again, or creates missing ones, and returns their number. The event ids stay the same, and
  /// attempts count from 0. Ignores deliveries that are waiting already. For `dead`, repeats at most `limit`
  /// deliveries, oldest event first, and skips locked rows; the other cases have no limit.
  package static func replay(_ replay: Replay, to webhook: Webhooks.Number, limit: Int) -> Query<Int> {
    var parameters = Parameters()
    parameters.append(webhook)
    switch replay {
    case .dead:
      parameters.append(limit)
      return Query(reviveStatement, parameters) { $0.affected }
    case .since(let time):
      parameters.append(time)
      parameters.append(nil as UUIDValue?)
    case .event(let id):
      parameters.append(nil as Timestamp?)
      parameters.append(id)
    }
    return Query(repeatStatement, parameters) { $0.affected }
  }
}
