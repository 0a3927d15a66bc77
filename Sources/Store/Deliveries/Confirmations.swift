package import Domain
internal import Postgres
package import Time

/// Receipts and reads (confirmations): finds the delivery that a confirmation is for, and records the confirmations of
/// deliveries outside of blocks. Those in blocks are recorded in `ConfirmationLog`.
package enum Confirmations {
  /// A confirmation by a device, which names the token that the message was sent to.
  package struct Named: Sendable {
    package let seqno: Seqno
    package let psid: String

    package init(seqno: Seqno, psid: String) {
      self.seqno = seqno
      self.psid = psid
    }
  }

  /// A device that a confirmation may belong to.
  package struct Candidate: Sendable {
    /// Index of the confirmation in the list that was resolved.
    package let entry: Int
    package let app: App.Number
    package let device: DeviceID
    /// True if the token is one of the device's present tokens, false if it is a former one.
    package let isPresent: Bool
    /// The confirmation that cancels the message's SMS fallback; nil if it has no fallback.
    package let fallback: Fallback.Condition?
    /// False if the message's history is not kept any more, so that nothing is recorded.
    package let isKept: Bool
    /// True if some of the message's deliveries are in blocks.
    package let hasBlocks: Bool
    /// The message whose inbox entries a read marks as read: for a resend, the original. Nil if the message is not
    /// stored in inboxes.
    package let inbox: Seqno?
    /// A time not later than when the message was sent.
    package let sentAt: Timestamp
  }

  private static let resolveStatement = Statement(
    "confirmations-resolve",
    """
    WITH named AS (
      SELECT n.entry, m.app, n.psid, coalesce(m.fallback, 0::smallint) AS fallback, \(HistoryRanges.isKept) AS kept,
        greatest(m.created_at, m.due_at) AS sent_at,
        -- One that was sent again is read where the first one is.
        CASE WHEN m.inbox_seconds IS NOT NULL THEN coalesce(m.inbox_of, m.seqno) END AS inbox,
        EXISTS (SELECT FROM blocks b WHERE b.seqno = n.seqno) AS has_blocks
      FROM unnest($1, $2) WITH ORDINALITY AS n(seqno, psid, entry) JOIN messages m ON m.seqno = n.seqno
    )
    -- Whatever it is for: a VoIP push is confirmed with the token it came to.
    SELECT n.entry, n.app, p.device, true, n.fallback, n.kept, n.sent_at, n.inbox, n.has_blocks FROM named n
    JOIN psids p ON p.app = n.app AND p.psid = n.psid
    UNION ALL
    SELECT n.entry, n.app, f.device, false, n.fallback, n.kept, n.sent_at, n.inbox, n.has_blocks FROM named n
    JOIN former_psids f ON f.app = n.app AND f.psid = n.psid AND f.ended_at > $3
    """)

  /// Finds the devices that have the tokens, or had them within the last 30 days. A confirmation can have several
  /// candidates, in any order; it has none if the message is unknown, or the token is unknown in the message's app.
  package static func resolve(_ named: [Named], at now: Timestamp) -> Query<[Candidate]> {
    var seqnos = Int64Column()
    var psids = TextColumn()
    for entry in named {
      seqnos.append(entry.seqno)
      psids.append(entry.psid)
    }
    return Query(each: resolveStatement, seqnos, psids, now - Store.Limits.formerTokenRetention) {
      row in
      let (entry, app, device, isPresent) = (Int(row.int64()) - 1, row.int32(), row.device(), row.bool())
      let (fallback, isKept) = (Fallback.Condition(rawValue: row.int16()), row.bool())
      let (sentAt, inbox) = (row.timestamp(), row.optionalSeqno())
      return Candidate(
        entry: entry, app: app, device: device, isPresent: isPresent, fallback: fallback, isKept: isKept,
        hasBlocks: row.bool(), inbox: inbox, sentAt: sentAt)
    }
  }

  /// The delivery of a message to a device.
  package struct Delivery: Hashable, Sendable {
    package let seqno: Seqno
    package let device: DeviceID

    package init(seqno: Seqno, device: DeviceID) {
      self.seqno = seqno
      self.device = device
    }
  }

  /// The user to whom a delivery was sent, and its place in a block.
  package struct Sending: Equatable, Sendable {
    package let userKey: UserKey
    /// The delivery's block and position; nil if it is in no block.
    package let place: BlockPlace?
    /// True if the delivery has ended and cannot have arrived: it was never submitted, or its only try was rejected.
    package let neverArrived: Bool

    package init(userKey: UserKey, place: BlockPlace?, neverArrived: Bool = false) {
      self.userKey = userKey
      self.place = place
      self.neverArrived = neverArrived
    }
  }

  /// Returns SQL that joins, as `c`, the user of a delivery without an outcome yet, taken from its claim.
  /// - Parameter delivery: name of the delivery's row; its row in `outcomes` must already be joined, as `o`.
  private static func claimed(_ delivery: String) -> String {
    """
    LEFT JOIN LATERAL (
      SELECT k.user_key FROM claims, unnest(claims.devices, claims.user_keys) AS k(device, user_key)
      WHERE o.device IS NULL AND claims.seqno = \(delivery).seqno AND claims.devices @> ARRAY[\(delivery).device]
        AND k.device = \(delivery).device
      LIMIT 1
    ) c ON true
    """
  }

  /// Returns the SQL condition that a delivery has ended and cannot have arrived. One of several tries may have
  /// arrived.
  /// - Parameter end: name of a row with its status and number of tries.
  private static func neverArrived(_ end: String) -> String {
    """
    (\(end).status = \(OutcomeStatus.rejected.sql) AND \(end).attempts <= 1
      OR \(end).status IN (\(OutcomeStatus.expired.sql), \(OutcomeStatus.cancelled.sql), \(OutcomeStatus.skipped.sql))
        AND \(end).attempts = 0)
    """
  }

  private static let sentToStatement = Statement(
    "confirmations-sent-to",
    """
    SELECT DISTINCT ON (d.seqno, d.device) d.seqno, d.device, coalesce(o.user_key, c.user_key, b.user_key),
      b.block, b.place, CASE
        WHEN o.device IS NOT NULL THEN \(neverArrived("o"))
        WHEN c.user_key IS NOT NULL THEN false
        ELSE EXISTS (SELECT FROM block_codes k WHERE k.code = b.state AND \(neverArrived("k"))) END
    FROM unnest($1, $2) AS d(seqno, device)
    LEFT JOIN outcomes o ON o.seqno = d.seqno AND o.device = d.device
    \(claimed("d"))
    LEFT JOIN LATERAL (
      SELECT u.user_key, p.block, p.place, p.state FROM (
        SELECT o.user_key WHERE o.device IS NOT NULL
        UNION ALL SELECT u.user_key FROM users_of_device(d.device) AS u(user_key) WHERE o.device IS NULL) u
      CROSS JOIN LATERAL block_entries_of(d.seqno, u.user_key) p
      WHERE p.device = d.device LIMIT 1
    ) b ON true
    WHERE o.device IS NOT NULL OR c.user_key IS NOT NULL OR b.user_key IS NOT NULL
    ORDER BY d.seqno, d.device
    """)

  /// Returns each delivery's user and place in a block, and whether it cannot have arrived. Takes the user from the
  /// delivery's row in `outcomes`, or else from the claim or block that contains the delivery. Omits deliveries that
  /// are in none of these.
  package static func sentTo(_ deliveries: some Collection<Delivery>) -> Query<[Delivery: Sending]> {
    Query(sentToStatement, columns(deliveries)) { rows in
      var found: [Delivery: Sending] = [:]
      rows.forEach { row in
        let delivery = Delivery(seqno: row.seqno(), device: row.device())
        let userKey = row.userKey()
        let (number, position) = (row.optionalInt32(), row.optionalInt32())
        var place: BlockPlace?
        if let number, let position {
          place = BlockPlace(block: BlockID(seqno: delivery.seqno, number: number), position: Int(position))
        }
        found[delivery] = Sending(userKey: userKey, place: place, neverArrived: row.bool())
      }
      return found
    }
  }

  // MARK: Rows

  private static let receiveStatement = insert(
    "confirmations-receive", into: "row_receipts", counting: "received", told: .deliveriesReceived)
  private static let readStatement = insert(
    "confirmations-read", into: "row_reads", counting: "read", told: .deliveriesRead)

  /// Records receipts of deliveries outside of blocks with their times. Has no effect for a receipt that is recorded
  /// already. Adds new receipts to the totals and, except for test messages, to the statistics of the minute of `now`;
  /// writes their events if a webhook of the app subscribes to receipts.
  package static func receive(_ deliveries: [Delivery: Timestamp], writer: Int32, at now: Timestamp) -> Query<Void> {
    Query(receiveStatement, columns(deliveries, now, writer)) { _ in }
  }

  /// Records reads of deliveries outside of blocks, in the same way as `receive` records receipts.
  package static func read(_ deliveries: [Delivery: Timestamp], writer: Int32, at now: Timestamp) -> Query<Void> {
    Query(readStatement, columns(deliveries, now, writer)) { _ in }
  }

  private static func insert(
    _ name: String, into table: String, counting total: String, told kind: EventKind
  ) -> Statement {
    Statement(
      name,
      """
      WITH fresh AS (
        INSERT INTO \(table) (seqno, device, at)
        SELECT seqno, device, at FROM unnest($1, $2, $5) AS t(seqno, device, at) ORDER BY seqno, device
        ON CONFLICT (seqno, device) DO NOTHING
        RETURNING seqno, device, at
      ), counts AS (
        SELECT seqno, count(*) AS count FROM fresh GROUP BY seqno
      ), counted AS (
        -- Only what is new counts, in this writer's own row: nobody waits for it.
        INSERT INTO message_totals AS t (seqno, writer, \(total))
        SELECT seqno, $4, count FROM counts ORDER BY seqno
        ON CONFLICT (seqno, writer) DO UPDATE SET \(total) = coalesce(t.\(total), 0) + excluded.\(total)
      ), \(told(kind)), told AS (\(Events.tell))
      -- From the few rows per message, not from the many per device.
      INSERT INTO statistics_minutes (app, at, network, lane, app_version, reason, writer, \(total))
      SELECT m.app, date_trunc('minute', $3), 0, m.lane, '', '', $4, sum(c.count)
      FROM counts c JOIN messages m ON m.seqno = c.seqno WHERE \(Statistics.isCounted) GROUP BY m.app, m.lane
      ON CONFLICT (app, at, network, lane, app_version, reason, writer)
        DO UPDATE SET \(total) = statistics_minutes.\(total) + excluded.\(total)
      """)
  }

  /// Returns SQL that follows a CTE `fresh` with new confirmations and writes their events, in a CTE `made`. The SQL
  /// writes none for apps without an active webhook that subscribes to this kind.
  private static func told(_ kind: EventKind) -> String {
    """
    asked AS (
      SELECT m.seqno, m.app, f.device, f.at, coalesce(o.user_key, c.user_key) AS user_key,
        (row_number() OVER (PARTITION BY m.seqno) - 1) / \(RecipientEvents.mostRecipients) AS part
      FROM fresh f JOIN messages m ON m.seqno = f.seqno
      LEFT JOIN outcomes o ON o.seqno = f.seqno AND o.device = f.device
      \(claimed("f"))
      WHERE EXISTS (SELECT FROM webhooks WHERE active AND '\(kind.rawValue)' = ANY(kinds))
        AND m.app IN \(kind.listeners)
    ), made AS (
      INSERT INTO events (app, event_kind, at, data)
      SELECT t.app, '\(kind.rawValue)', clock_timestamp(), json_build_object(
        'seqno', t.seqno::text, 'reference', (SELECT request->'reference' FROM messages m WHERE m.seqno = t.seqno),
        'recipients', json_agg(\(RecipientEvents.object)))
      FROM asked t GROUP BY t.seqno, t.app, t.part
      RETURNING event, app, event_kind)
    """
  }

  private static func columns(_ deliveries: [Delivery: Timestamp], _ now: Timestamp, _ writer: Int32) -> Parameters {
    var times = TimestampColumn()
    // The dictionary is not modified in between, so keys and values have the same order.
    for at in deliveries.values { times.append(at) }
    var parameters = columns(deliveries.keys)
    parameters.append(now)
    parameters.append(writer)
    parameters.append(times)
    return parameters
  }

  private static let countStatement = Statement(
    "confirmations-count",
    """
    WITH counted AS (
      INSERT INTO message_totals AS t (seqno, writer, received, read) VALUES ($1, $4, $2, $3)
      ON CONFLICT (seqno, writer) DO UPDATE
        SET received = coalesce(t.received, 0) + excluded.received, read = coalesce(t.read, 0) + excluded.read
    )
    INSERT INTO statistics_minutes (app, at, network, lane, app_version, reason, writer, received, read)
    SELECT m.app, date_trunc('minute', clock_timestamp()), 0, m.lane, '', '', $4, $2, $3
    FROM messages m WHERE m.seqno = $1 AND \(Statistics.isCounted)
    ON CONFLICT (app, at, network, lane, app_version, reason, writer) DO UPDATE SET
      received = statistics_minutes.received + excluded.received, read = statistics_minutes.read + excluded.read
    """)

  /// Adds newly folded confirmations to a message's totals and, unless the message is a test, to the statistics of the
  /// current minute.
  static func count(of seqno: Seqno, received: Int64, read: Int64, _ writer: Int32) -> Query<Void> {
    Query(countStatement, seqno, received, read, writer) { _ in }
  }

  /// Returns deliveries as two arrays, SEQNOs and devices, for `unnest($1, $2)`.
  static func columns(_ deliveries: some Collection<Delivery>) -> Parameters {
    var seqnos = Int64Column()
    var devices = UUIDColumn()
    for delivery in deliveries {
      seqnos.append(delivery.seqno)
      devices.append(delivery.device)
    }
    return Parameters(seqnos, devices)
  }

  /// Reads rows of a SEQNO and a device.
  static func deliveries(_ rows: Rows) -> Set<Delivery> {
    var deliveries: Set<Delivery> = []
    rows.forEach { row in deliveries.insert(Delivery(seqno: row.seqno(), device: row.device())) }
    return deliveries
  }
}
