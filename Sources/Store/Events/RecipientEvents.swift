package import Domain
internal import Postgres
package import Time

/// Events about recipients, many recipients per event: who received a message, who read it, and whom it failed to
/// reach.
///
/// ```
///   receipt or read outside of blocks ─► if its row is new ───────────────► event ┬─ in the transaction that
///   receipt or read in a block ─► log ─► fold: if not yet recorded ───────► event ┘  counts it
///   message ends ─► `failure_reports` ─► its failures, page by page ──────► event ─── in the transaction that
///                                                                                    records the report's progress
/// ```
/// Each receipt, each read and, each time a message ends, each new failure is reported once, in the transaction shown,
/// so a crash neither loses nor repeats an event. Apps without a subscribed active webhook have no such events.
///
/// Decision 153.
package enum RecipientEvents {
  /// Maximum number of recipients per event. An event with so many has about 60 KiB.
  package static let mostRecipients = 500

  /// One recipient of an event.
  package struct Recipient: Sendable {
    package let device: DeviceID
    package let userKey: UserKey
    /// When the delivery was received, was read or failed.
    package let at: Timestamp
    /// Status and reason of a failed delivery; nil for a receipt or read.
    package var failure: (status: OutcomeStatus, reason: String?)?

    package init(
      device: DeviceID, userKey: UserKey, at: Timestamp, failure: (status: OutcomeStatus, reason: String?)? = nil
    ) {
      self.device = device
      self.userKey = userKey
      self.at = at
      self.failure = failure
    }
  }

  /// SQL expression: a recipient as a JSON object, from a row `t` with `device`, `user_key` and `at`.
  static let object = """
    json_build_object('device', t.device,
      'clientUid', CASE WHEN left(t.user_key, 1) = 'u' THEN substr(t.user_key, 2) END,
      'at', to_char(t.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    """

  private static let addStatement = Statement(
    "recipient-events-add",
    """
    WITH made AS (
      INSERT INTO events (app, event_kind, at, data)
      SELECT m.app, $2, clock_timestamp(), json_build_object(
        'seqno', m.seqno::text, 'reference', m.request->'reference', 'recipients', (
          SELECT json_agg(CASE WHEN t.status IS NULL THEN \(RecipientEvents.object)
            ELSE (\(RecipientEvents.object)::jsonb || jsonb_build_object('status', t.status, 'reason', t.reason))::json END
            ORDER BY t.place)
          FROM (
            -- Whoever was erased is named no more, although the history keeps the name until it has been taken out.
            SELECT u.device, CASE WHEN r.seqno IS NULL AND NOT EXISTS (
                SELECT FROM erasures e WHERE e.app = m.app AND e.user_key = u.user_key AND e.upto_seqno >= $1)
              THEN u.user_key END AS user_key, u.at, u.status, u.reason, u.place
            FROM unnest($3::uuid[], $4::text[], $5::timestamptz[], $6::text[], $7::text[]) WITH ORDINALITY
              AS u(device, user_key, at, status, reason, place)
            LEFT JOIN erasure_rests r ON r.seqno = $1 AND r.device = u.device AND r.user_key = u.user_key) t))
      FROM messages m
      WHERE m.seqno = $1 AND m.app IN \(EventKind.listeners(to: "$2"))
      RETURNING event, app, event_kind)
    \(Events.tell)
    """)

  /// Writes events with at most `mostRecipients` recipients each, and their deliveries, in the transaction that counts
  /// the recipients. Writes nothing if there are no recipients, if no active webhook of the message's app subscribes to
  /// the kind, or if the message does not exist.
  static func add(
    _ kind: EventKind, of seqno: Seqno, _ recipients: [Recipient], on connection: Connection
  ) throws(PostgresError) {
    var rest = recipients[...]
    while !rest.isEmpty {
      _ = try connection.run(addStatement, parameters(kind, seqno, rest.prefix(mostRecipients)))
      rest = rest.dropFirst(mostRecipients)
    }
  }

  private static func parameters(
    _ kind: EventKind, _ seqno: Seqno, _ recipients: ArraySlice<Recipient>
  ) -> Parameters {
    var devices = UUIDColumn()
    var (keys, statuses, reasons) = (TextColumn(), TextColumn(), TextColumn())
    var times = TimestampColumn()
    for recipient in recipients {
      devices.append(recipient.device)
      keys.append(recipient.userKey.text)
      times.append(recipient.at)
      statuses.append(recipient.failure?.status.name)
      reasons.append(recipient.failure?.reason)
    }
    return Parameters(seqno, kind.rawValue, devices, keys, times, statuses, reasons)
  }

  // MARK: Deletion

  /// Deletes at most `$1` events about recipients that are over an hour old, with their deliveries, because these
  /// events are many and identify people. Keeps events of which a delivery is waiting or was given up.
  static let pruneStatement = Statement(
    "recipient-events-prune",
    """
    WITH old AS (
      SELECT event FROM events e
      WHERE event_kind IN ('deliveries.received', 'deliveries.read', 'deliveries.failed')
        AND at < now() - interval '1 hour'
        AND NOT EXISTS (SELECT FROM event_deliveries d WHERE d.event = e.event
          AND d.state <> \(Events.State.delivered.sql))
      ORDER BY event LIMIT $1 FOR UPDATE SKIP LOCKED)
    , told AS (DELETE FROM event_deliveries WHERE event IN (SELECT event FROM old))
    DELETE FROM events WHERE event IN (SELECT event FROM old)
    """)
}
