package import Domain
package import Postgres
package import Time

/// The end of scheduled messages that nobody has received an hour after the requested time, although they were planned
/// in time: their app was paused, or the whole system was down. Sending them late could surprise people, so they fail
/// like messages that are found late before they are planned (`Schedules.failLate`), by the same hour.
///
/// The hour starts at the requested time or, if the send window is closed then or closes before the hour is over, when
/// the window opens next; for an ad, the night counts as closed hours too (`reckonHours`). A message that may have
/// reached anyone within the hour continues until it expires, because leaving out part of an audience would be worse
/// than being late. So does a message with deliveries that wait for a device's send window or for the end of the night;
/// it then has another hour from the end of that wait (`putOff`). The time for which the message's own pace or canary
/// holds it back does not count either. For a message by local time, each wave (`Waves`) is judged separately.
///
/// Late messages are no longer claimed, and any node can end them. Each step keeps the totals exact and can be
/// repeated, as in `Cancellation`.
package enum Lateness {
  // MARK: Waiting

  private static let reckonHoursStatement = Statement(
    "lateness-reckon-hours",
    """
    UPDATE messages m SET put_off_until = m.due_at + (h.begins_at - h.moment) FROM (
      SELECT d.seqno, d.moment, CASE WHEN r.moment > e.moment THEN r.moment ELSE b.moment END AS begins_at
      FROM (
        SELECT m.seqno, z.zone, coalesce(m.local_time AT TIME ZONE z.zone, m.due_at) AS moment,
          CASE WHEN $4::boolean THEN a.ad_night_to END AS day_opens,
          CASE WHEN $4::boolean THEN a.ad_night_from END AS day_closes
        FROM messages m JOIN apps a ON a.app = m.app
          CROSS JOIN LATERAL (SELECT \(TimeZones.ofApp) AS zone OFFSET 0) z
        WHERE m.seqno = $1) d
        CROSS JOIN LATERAL (SELECT both_open_at(
          d.moment, d.zone, $2::text::time, $3::text::time, d.day_opens, d.day_closes) AS moment OFFSET 0) b
        -- If they close again before the hour is over, it begins when they open next.
        CROSS JOIN LATERAL (SELECT b.moment + \(LatenessCondition.almostAnHour) AS moment OFFSET 0) e
        CROSS JOIN LATERAL (SELECT both_open_at(
          e.moment, d.zone, $2::text::time, $3::text::time, d.day_opens, d.day_closes) AS moment OFFSET 0) r) h
    WHERE m.seqno = h.seqno AND h.begins_at > h.moment
    """)

  /// Returns the query that records from when a new message may be sent, if that is after its due time. The message is
  /// late an hour after that at the earliest, even if nothing of it is claimed, for example because its app is paused.
  /// The app's clock decides, because most devices have its time zone. Nil if the message may be sent at any hour, or only
  /// has a send window in the app's time zone, which its gate knows.
  /// - Parameter isAd: true if the message must not be sent in the app's night.
  package static func reckonHours(_ seqno: Seqno, window: SendWindow?, isAd: Bool) -> Query<Void>? {
    guard isAd || window?.zone == .device else { return nil }
    return Query(reckonHoursStatement, seqno, window?.opens.text, window?.closes.text, isAd) { _ in }
  }

  private static let putOffStatement = Statement(
    "lateness-put-off",
    """
    WITH later AS (
      SELECT m.seqno, t.due_at FROM unnest($1, $2) AS t(seqno, due_at) JOIN messages m ON m.seqno = t.seqno
      WHERE m.due_at IS NOT NULL AND m.local_time IS NULL AND (m.put_off_until IS NULL OR m.put_off_until < t.due_at)
      ORDER BY m.seqno FOR NO KEY UPDATE OF m)
    UPDATE messages m SET put_off_until = later.due_at FROM later WHERE m.seqno = later.seqno
    """)

  /// Records until when deliveries wait for permitted hours, within the transaction that defers them: the message is
  /// not late until an hour after that time. Changes nothing for a message that already waits for longer, has no
  /// scheduled time, or is sent by local time.
  package static func putOff(_ dues: [Seqno: Timestamp]) -> Query<Void> {
    var (seqnos, times) = (Int64Column(), TimestampColumn())
    for (seqno, dueAt) in dues {
      seqnos.append(seqno)
      times.append(dueAt)
    }
    return Query(putOffStatement, seqnos, times) { _ in }
  }

  // MARK: Finding

  private static let messagesStatement = Statement(
    "lateness-messages",
    """
    SELECT m.seqno FROM messages m JOIN apps a ON a.app = m.app
    -- Planned: whoever plans it would add to what is ended here.
    WHERE m.state IN (\(MessageState.sending.sql), \(MessageState.paused.sql)) AND m.due_at IS NOT NULL
      AND m.planned AND m.cancelled_at IS NULL AND \(LatenessCondition.isLate)
      -- What waits for a second person has that person's time.
      AND m.held = \(MessageHold.none.sql)
    ORDER BY m.seqno LIMIT 100
    """)

  /// Returns at most 100 late messages that are planned, neither held nor being cancelled, and not by local time, in
  /// ascending order.
  package static func messages() -> Query<[Seqno]> {
    Query(each: messagesStatement) { $0.seqno() }
  }

  private static let wavesStatement = Statement(
    "lateness-waves",
    """
    SELECT w.seqno, w.wave FROM messages m JOIN waves w ON w.seqno = m.seqno
    WHERE m.state IN (\(MessageState.sending.sql), \(MessageState.paused.sql)) AND m.due_at IS NOT NULL
      AND m.cancelled_at IS NULL AND m.local_time IS NOT NULL
      AND w.opened AND NOT w.late AND \(LatenessCondition.isLateWave)
    ORDER BY w.seqno, w.wave LIMIT 100
    """)

  /// Returns at most 100 waves that were opened in time but are late now, in ascending order of message and wave. Omits
  /// messages that are being cancelled.
  package static func waves() -> Query<[(seqno: Seqno, wave: Int16)]> {
    Query(each: wavesStatement) { ($0.seqno(), $0.int16()) }
  }

  // MARK: Ending

  private static let lockStatement = Statement(
    "lateness-lock",
    """
    SELECT m.seqno FROM messages m JOIN apps a ON a.app = m.app
    WHERE m.seqno = $1 AND m.state IN (\(MessageState.sending.sql), \(MessageState.paused.sql)) AND m.planned
      AND m.cancelled_at IS NULL AND \(LatenessCondition.isLate)
      AND m.held = \(MessageHold.none.sql)
    FOR NO KEY UPDATE OF m
    """)

  private static func lock(_ seqno: Seqno) -> Query<Bool> {
    Query(lockStatement, seqno) { $0.count == 1 }
  }

  private static let sayStatement = Statement(
    "lateness-say",
    """
    UPDATE messages SET state_reason = 'It was due at ' || to_char(due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
      || ', and nobody had got it 60 minutes later.'
    WHERE seqno = $1 AND state = \(MessageState.failed.sql)
    """)

  private static func say(_ seqno: Seqno) -> Query<Void> {
    Query(sayStatement, seqno) { _ in }
  }

  /// Ends a late message, in several transactions: counts the recipients that have no final result as skipped, and
  /// closes the message.
  /// - Parameters:
  ///   - movesBadge: whether the message counts in badges, so that its increments must be taken back.
  ///   - goesOn: asked after each batch of deferred deliveries; false leaves the rest to the next call.
  /// - Returns: false, without changes, if the message is no longer late or must not be ended here: its sending has
  ///   begun, it has ended, or it is held or being cancelled. False also if a part of it was left to the next call.
  package static func end(
    _ seqno: Seqno, app: App.Number, movesBadge: Bool, now: Timestamp, on connection: Connection,
    while goesOn: () -> Bool
  ) throws(PostgresError) -> Bool {
    let isLate = try connection.transaction(attempts: 5) { () throws(PostgresError) in
      // Lock the shards before the message, as claims do.
      try connection.run(Shards.lockAll(seqno))
      guard try connection.run(lock(seqno)) else { return false }
      let shards = try connection.run(Cancellation.closeShards(seqno, wave: nil))
      if shards.surplus > 0 { try connection.run(Messages.correctTargeted(seqno, by: shards.surplus)) }
      try Cancellation.count(shards.unclaimed, .skipped, reason: Schedules.lateReason, of: seqno, on: connection)
      return true
    }
    guard isLate else { return false }
    while try Cancellation.endDeferred(
      seqno, app: app, movesBadge: movesBadge, as: .skipped, reason: Schedules.lateReason, on: connection)
    {
      guard goesOn() else { return false }
    }
    try connection.transaction(attempts: 5) { () throws(PostgresError) in
      try Messages.finish([seqno], at: now, within: connection)
      try connection.run(say(seqno))
    }
    return true
  }

  private static let findWaveStatement = Statement(
    "lateness-find-wave",
    "SELECT w.wave FROM waves w WHERE w.seqno = $1 AND w.wave = $2 AND w.opened AND NOT w.late AND \(LatenessCondition.isLateWave)"
  )

  private static func find(_ seqno: Seqno, lateWave wave: Int16) -> Query<Bool> {
    Query(findWaveStatement, seqno, wave) { $0.count == 1 }
  }

  /// Ends a late wave: counts all of its recipients as skipped, and closes the message if nothing else of it is
  /// pending. Returns false, without changes, if the wave is no longer late, because its sending has begun, or has
  /// ended already.
  package static func end(
    _ seqno: Seqno, wave: Int16, now: Timestamp, on connection: Connection
  ) throws(PostgresError) -> Bool {
    let isLate = try connection.transaction(attempts: 5) { () throws(PostgresError) in
      try connection.run(Shards.lockAll(seqno, wave: wave))
      guard try connection.run(find(seqno, lateWave: wave)) else { return false }
      try Schedules.endWave(seqno, wave: wave, on: connection)
      return true
    }
    if isLate { try Messages.finish([seqno], at: now, on: connection) }
    return isLate
  }
}
