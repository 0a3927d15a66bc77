package import Domain
package import Postgres
package import Time

/// Undoes rejections that were caused by our own configuration: the deliveries become deferred, and are due at once.
package enum RejectionReversals {
  package struct Record: Sendable {
    package let seqno: Seqno
    package let device: DeviceID
    package let userKey: UserKey
    package let app: App.Number
    /// The reason for which the delivery was rejected; nil if none was recorded.
    package let reason: String?
    /// The statistics entry in which the rejection was counted; nil for a test message, which was not counted.
    package let statistic: Statistics.Key?
  }

  private static let outcomesStatement = Statement(
    "give-backs-outcomes",
    """
    UPDATE outcomes o SET status = \(OutcomeStatus.deferred.sql), due_at = $3, at = $3
    FROM unnest($1, $2) AS t(seqno, device) JOIN messages m ON m.seqno = t.seqno
      JOIN devices d ON d.device = t.device
    WHERE o.seqno = t.seqno AND o.device = t.device AND o.status = \(OutcomeStatus.rejected.sql)
      -- What was cancelled or has expired is not begun again.
      AND m.state <> \(MessageState.cancelled.sql) AND m.expires_at > $3
      -- Nor what nobody can say any more: it was confidential, and is wiped.
      AND (m.sealed IS NOT NULL OR coalesce(m.request->>'sealed', '') <> 'true')
      -- Nor what a resend has sent to the device as another message: the device would get both.
      AND NOT EXISTS (SELECT FROM messages r LEFT JOIN outcomes x ON x.seqno = r.seqno AND x.device = o.device
        WHERE r.resend_of = o.seqno AND CASE WHEN x.seqno IS NULL
          THEN EXISTS (SELECT FROM claims c WHERE c.seqno = r.seqno AND c.devices @> ARRAY[o.device])
          ELSE x.status IN (\(OutcomeStatus.accepted.sql), \(OutcomeStatus.rejected.sql), \(OutcomeStatus.deferred.sql))
          END)
    RETURNING o.seqno, o.device, o.user_key, m.app, o.reason, m.lane, d.network, d.app_version,
      m.purpose
    """)

  /// Makes rejected deliveries deferred and due at once, and returns them; the caller must correct their totals. Skips
  /// deliveries that are not rejected, those of cancelled or expired messages, those of confidential messages whose
  /// content was wiped, those to deleted devices, and those that a resend repeats: the resend's own delivery to the
  /// device was accepted or rejected, or is pending.
  package static func outcomes(
    _ deliveries: some Collection<Confirmations.Delivery>, at now: Timestamp
  ) -> Query<[Record]> {
    var parameters = Confirmations.columns(deliveries)
    parameters.append(now)
    return Query(outcomesStatement, parameters) { rows in rows.decode(record) }
  }

  private static func record(_ row: inout RowReader) -> Record {
    let (seqno, device, userKey) = (row.seqno(), row.device(), row.userKey())
    let (app, reason) = (row.int32(), row.optionalText())
    var statistic = Statistics.Key(app: app)
    statistic.lane = Lane(rawValue: row.int16())
    statistic.network = PushNetwork(rawValue: row.int16())
    statistic.appVersion = row.text()
    statistic.reason = reason ?? ""
    return Record(
      seqno: seqno, device: device, userKey: userKey, app: app, reason: reason,
      statistic: MessagePurpose(rawValue: row.int16())?.isCounted == false ? nil : statistic)
  }

  private static let lockStatement = Statement(
    "give-backs-lock", "SELECT FROM messages WHERE seqno = ANY($1) ORDER BY seqno FOR NO KEY UPDATE")

  private static let reopenStatement = Statement(
    "give-backs-reopen",
    """
    WITH reopened AS (
      -- One that has been cancelled meanwhile is being cancelled again: what was given back of it is cancelled next.
      UPDATE messages SET state = CASE WHEN state = \(MessageState.cancelled.sql) THEN 3 ELSE 2 END, finished_at = NULL
      WHERE seqno = ANY($1) AND state >= \(MessageState.completed.sql)
      RETURNING seqno, app, request
    ), \(Events.tellReopened)
    """)

  /// Reopens those of the messages that have ended, writes their events, and halts their failure reports; the last step
  /// of a transaction that undoes rejections. A message that was cancelled meanwhile becomes paused, until the
  /// cancellation ends it again; all others return to being sent. Also locks messages that have not ended, so that a
  /// transaction that is about to end such a message waits for the lock, then sees the undone rejections.
  /// - Parameter others: messages that the transaction changes afterwards. They are locked with the others, in one
  ///   order, so that two transactions never wait for each other.
  package static func reopen(
    _ seqnos: Set<Seqno>, locking others: Set<Seqno> = [], on connection: Connection
  ) throws(PostgresError) {
    _ = try connection.run(lockStatement, column(seqnos.union(others)))
    // A separate statement, which sees what was committed while the first one waited for the lock.
    _ = try connection.run(reopenStatement, column(seqnos))
  }

  private static func column(_ seqnos: Set<Seqno>) -> Parameters {
    var column = Int64Column()
    for seqno in seqnos { column.append(seqno) }
    return Parameters(column)
  }
}
