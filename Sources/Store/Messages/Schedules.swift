package import Domain
package import Postgres
package import Time

/// Scheduled and repeating messages. The database's clock decides whether a message is due.
package enum Schedules {
  package static let lateReason = "late"

  // MARK: Repetition

  private static let beginStatement = Statement(
    "schedules-begin",
    """
    WITH schedule AS (
      INSERT INTO schedules (app, unit, first_local, is_local, last_day)
      SELECT m.app, $2, coalesce(m.local_time, m.due_at AT TIME ZONE a.time_zone), m.local_time IS NOT NULL,
        $3::text::date
      FROM messages m JOIN apps a ON a.app = m.app WHERE m.seqno = $1
      RETURNING schedule)
    UPDATE messages m SET schedule = s.schedule, occurrence = 0 FROM schedule s WHERE m.seqno = $1
    """)

  /// Makes a scheduled message the first occurrence of a repetition, in the transaction that creates the message.
  package static func begin(_ seqno: Seqno, _ repetition: Repetition) -> Query<Void> {
    Query(beginStatement, seqno, repetition.unit.rawValue, repetition.until.text) { _ in }
  }

  private static let continueStatement = Statement(
    "schedules-continue",
    """
    INSERT INTO messages (app, state, lane, request, request_sha256, api_key, targeted, created_at, expires_at, due_at,
      local_time, schedule, occurrence, links, fallback, asked_by, asked_at, approved_for, held, sealed, inbox_seconds,
      purpose, keeps_history)
    SELECT m.app, 0, m.lane, m.request, m.request_sha256, m.api_key, m.targeted, now(),
      -- As long after its time as the one before.
      n.due_at + (m.expires_at - m.due_at), n.due_at, CASE WHEN s.is_local THEN n.wall END, m.schedule, m.occurrence + 1,
      m.links, m.fallback,
      -- Each is counted by itself, and may be as large as the one that a second person has seen.
      m.asked_by, m.asked_at, m.approved_for, CASE WHEN m.asked_by IS NULL THEN 0 ELSE 1 END, m.sealed,
      m.inbox_seconds, m.purpose, m.keeps_history
    FROM messages m JOIN apps a ON a.app = m.app JOIN schedules s ON s.schedule = m.schedule,
      -- Counted from the first, so that a 31st comes back after a shorter month.
      LATERAL (SELECT s.first_local + (m.occurrence + 1) * ('1 ' || s.unit)::interval AS wall) w,
      LATERAL (SELECT w.wall, CASE WHEN s.is_local
        THEN (SELECT min(w.wall AT TIME ZONE zone_or(z.time_zone, \(TimeZones.ofApp))) FROM (
          SELECT time_zone FROM \(TimeZones.used(by: "m.app")) reported UNION SELECT a.time_zone) z)
        WHEN \(TimeZones.isOfAppKnown) THEN w.wall AT TIME ZONE a.time_zone
        -- Until the zone is known again, changes of its clocks are ignored.
        ELSE m.due_at + ('1 ' || s.unit)::interval END AS due_at) n
    WHERE m.seqno = $1 AND s.ended_at IS NULL AND n.wall::date <= s.last_day
    ON CONFLICT (schedule, occurrence) WHERE schedule IS NOT NULL DO NOTHING
    RETURNING seqno
    """)

  /// Creates the occurrence that follows a message, without its gate, and returns its SEQNO. Returns nil if there is
  /// none to create: after the last occurrence, if the next one exists already, if the repetition has been ended, or if
  /// the message does not repeat.
  package static func continueAfter(_ seqno: Seqno) -> Query<Seqno?> {
    Query(first: continueStatement, seqno) { $0.seqno() }
  }

  private static let endStatement = Statement(
    "schedules-end", "UPDATE schedules SET ended_at = now() WHERE schedule = $1 AND ended_at IS NULL")

  /// Ends a repetition: no further occurrences are created. One that is scheduled already is not affected.
  package static func end(_ schedule: Int64) -> Query<Void> {
    Query(endStatement, schedule) { _ in }
  }

  // MARK: Due messages

  private static let dueStatement = Statement(
    "schedules-due",
    """
    UPDATE messages m SET state = \(MessageState.queued.sql) FROM (
      SELECT seqno FROM messages m WHERE state = \(MessageState.scheduled.sql) AND due_at <= clock_timestamp()
        -- What is too late is left to fail.
        AND (local_time IS NOT NULL OR NOT \(LatenessCondition.isHourOver))
      ORDER BY due_at LIMIT 100 FOR UPDATE OF m SKIP LOCKED) due
    WHERE m.seqno = due.seqno
    RETURNING m.seqno, m.schedule IS NOT NULL, m.request::text
    """)

  /// Queues at most 100 scheduled messages that are due, and returns, for each, whether it repeats and its request as
  /// JSON. Skips locked rows. Unless a message is by local time, skips it if its hour is over: `failLate` ends it. The
  /// caller creates the following occurrences in the same transaction.
  package static func due() -> Query<[(seqno: Seqno, repeats: Bool, request: [UInt8])]> {
    Query(each: dueStatement) { row in
      (row.seqno(), row.bool(), row.bytes())
    }
  }

  private static let nextStatement = Statement(
    "schedules-next", "SELECT due_at FROM messages WHERE state = \(MessageState.scheduled.sql) ORDER BY due_at LIMIT 1")

  /// Returns when the next scheduled message is due, which can be in the past; nil if no message is scheduled.
  package static func nextDue() -> Query<Timestamp?> {
    Query(first: nextStatement) { $0.timestamp() }
  }

  private static let failLateStatement = Statement(
    "schedules-fail-late",
    """
    UPDATE messages SET state = \(MessageState.failed.sql), finished_at = now(), planned = true,
      targeted = coalesce(targeted, 0),
      state_reason = 'It was due at ' || to_char(due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
        || ' and found ' || (extract(epoch FROM clock_timestamp() - due_at)::bigint / 60) || ' minutes late.'
    WHERE seqno IN (
      SELECT seqno FROM messages m
      -- Nothing of it has been planned. A message by local time is late zone by zone.
      WHERE state IN (\(MessageState.scheduled.sql), \(MessageState.queued.sql), \(MessageState.paused.sql))
        AND frozen_at IS NULL AND local_time IS NULL AND cancelled_at IS NULL AND \(LatenessCondition.isHourOver)
      ORDER BY seqno LIMIT 100 FOR UPDATE OF m SKIP LOCKED)
    RETURNING seqno, targeted, schedule IS NOT NULL, request::text
    """)

  /// Fails at most 100 messages whose hour is over (`Lateness`) and that were never frozen, because sending a scheduled
  /// message late could surprise people. Counts their recipients as skipped and writes their events, all in one
  /// transaction. Leaves out messages by local time and messages that are being cancelled. Skips locked rows.
  /// - Parameter next: called within the transaction for each failed message that belongs to a repetition.
  /// - Returns: the number of messages that failed.
  package static func failLate(
    on connection: Connection, next: (_ seqno: Seqno, _ request: [UInt8]) throws -> Void
  ) throws -> Int {
    return try connection.withTransaction {
      let rows = try connection.run(failLateStatement)
      var ended = Int64Column()
      let late = rows.decode { ($0.seqno(), $0.int64(), $0.bool(), $0.bytes()) }
      for (seqno, devices, repeats, request) in late {
        try Cancellation.count(devices, .skipped, reason: lateReason, of: seqno, on: connection)
        if repeats { try next(seqno, request) }
        ended.append(seqno)
      }
      if rows.count > 0 { try connection.run(Events.finished(ended)) }
      return rows.count
    }
  }

  /// Ends a wave that is found too late, within a transaction: nothing more of it is claimed, and its unclaimed
  /// recipients are counted as skipped. Does not close the message.
  package static func endWave(_ seqno: Seqno, wave: Int16, on connection: Connection) throws(PostgresError) {
    try connection.run(Waves.markLate(seqno, wave: wave))
    let shards = try connection.run(Cancellation.closeShards(seqno, wave: wave))
    try Cancellation.count(shards.unclaimed, .skipped, reason: lateReason, of: seqno, on: connection)
  }
}
