package import Domain
package import Postgres
package import Time

/// Closes messages all of whose deliveries have a final result.
///
/// This requires two statements in one transaction: the first locks messages that look finished, the second checks
/// again. Between them, another transaction can make refused deliveries pending again, because a flood of refusals was
/// the server's fault; the first statement's snapshot does not include that. That transaction also locks the messages
/// before it commits, so whichever of the two transactions comes second sees what the other has done, and a finished
/// message never has pending deliveries.
extension Messages {
  /// SQL condition: every delivery has a final result, as far as this statement's snapshot shows.
  private static let isDone = """
    -- Also a paused one: nothing of it is left to resume.
    m.seqno = ANY($1) AND m.state IN (\(MessageState.sending.sql), \(MessageState.paused.sql)) AND m.planned
      -- One look-up for each message: as a join these would be planned for the nearly empty tables of a quiet moment, and
      -- read everything that a busy one has left in them.
      AND (SELECT 1 FROM shards s WHERE s.seqno = m.seqno AND NOT s.exhausted LIMIT 1) IS NULL
      AND (SELECT 1 FROM claims c WHERE c.seqno = m.seqno LIMIT 1) IS NULL
      AND m.targeted = (
        SELECT coalesce(sum(t.decided), 0)
        FROM message_totals t WHERE t.seqno = m.seqno)
    """

  private static let lockDoneStatement = Statement(
    "messages-lock-done", "SELECT m.seqno FROM messages m WHERE \(isDone) ORDER BY m.seqno FOR NO KEY UPDATE")

  private static let finishStatement = Statement(
    "messages-finish",
    """
    WITH done AS (
      UPDATE messages m SET finished_at = $2, state_reason = NULL, state = (
        SELECT CASE
          WHEN m.cancelled_at IS NOT NULL THEN 5
          WHEN coalesce(sum(t.accepted), 0) > 0 OR m.targeted = 0 THEN 4
          -- Nothing was accepted: expired if anything expired, failed if nothing could be sent.
          WHEN coalesce(sum(t.expired), 0) > 0 THEN 6
          ELSE 7 END
        FROM message_totals t WHERE t.seqno = m.seqno)
      WHERE \(isDone)
      RETURNING m.seqno, m.state, m.app
    ), \(Events.tellFinished)
    """)

  private static let finishAcceptedStatement = Statement(
    "messages-finish-accepted",
    """
    WITH done AS (
      UPDATE messages m SET finished_at = $3, state_reason = NULL,
        state = CASE WHEN m.cancelled_at IS NOT NULL THEN 5 ELSE 4 END
      FROM unnest($1, $2) AS t(seqno, accepted)
      WHERE m.seqno = t.seqno AND m.targeted = t.accepted
        AND m.state IN (\(MessageState.sending.sql), \(MessageState.paused.sql)) AND m.planned
        AND (SELECT 1 FROM shards s WHERE s.seqno = m.seqno AND NOT s.exhausted LIMIT 1) IS NULL
      RETURNING m.seqno, m.state, m.app
    ), \(Events.makeFinished), told AS (\(Events.tell))
    SELECT seqno FROM done
    """)

  /// SQL condition: no work is left for the message, but fewer deliveries than `targeted` have a final result, because
  /// a device was claimed twice.
  private static let isStuck = """
    m.seqno = ANY($1) AND m.state IN (\(MessageState.sending.sql), \(MessageState.paused.sql)) AND m.planned
      AND (SELECT 1 FROM shards s WHERE s.seqno = m.seqno AND NOT s.exhausted LIMIT 1) IS NULL
      AND (SELECT 1 FROM claims c WHERE c.seqno = m.seqno LIMIT 1) IS NULL
      AND (SELECT 1 FROM outcomes o WHERE o.seqno = m.seqno AND o.status = \(OutcomeStatus.deferred.sql)
        LIMIT 1) IS NULL
      AND (SELECT 1 FROM waits w WHERE w.seqno = m.seqno LIMIT 1) IS NULL
      AND m.targeted > (
        SELECT coalesce(sum(t.decided), 0)
        FROM message_totals t WHERE t.seqno = m.seqno)
    """

  private static let lockStuckStatement = Statement(
    "messages-lock-stuck", "SELECT m.seqno FROM messages m WHERE \(isStuck) ORDER BY m.seqno FOR NO KEY UPDATE")

  private static let settleStatement = Statement(
    "messages-settle",
    """
    UPDATE messages m SET targeted = (
      SELECT coalesce(sum(t.decided), 0)
      FROM message_totals t WHERE t.seqno = m.seqno)
    WHERE \(isStuck)
    RETURNING m.seqno
    """)

  /// Repairs those of the messages that would stay open for ever, because no work is left but `targeted` is too high:
  /// sets `targeted` to the number of deliveries with a final result. Does not close the messages. Runs its own
  /// transaction, and retries it up to four times. Returns the messages repaired; normally there are none.
  package static func settle(
    _ seqnos: some Collection<Seqno>, on connection: Connection
  ) throws(PostgresError) -> [Seqno] {
    guard !seqnos.isEmpty else { return [] }
    return try connection.transaction(attempts: 5) { () throws(PostgresError) in
      // Two checks, as in `finish`: a transaction that makes a delivery pending again locks the message too.
      let stuck = try connection.run(lockStuckStatement, list(seqnos))
      guard stuck.count > 0 else { return [] }
      let settled = try connection.run(settleStatement, list(seqnos))
      return settled.decode { $0.seqno() }
    }
  }

  /// Closes those of the given messages whose deliveries all have a final result, writes their events and starts their
  /// failure reports. Returns the messages that looked finished when they were locked. If a delivery became pending
  /// again at that moment, its message is among them but stays open. The caller's transaction must not lock other rows
  /// afterwards.
  @discardableResult
  package static func finish(
    _ seqnos: some Collection<Seqno>, at now: Timestamp, within connection: Connection
  ) throws(PostgresError) -> [Seqno] {
    let rows = try connection.run(lockDoneStatement, list(seqnos))
    let done = rows.decode { $0.seqno() }
    guard !done.isEmpty else { return [] }
    var parameters = list(done)
    parameters.append(now)
    _ = try connection.run(finishStatement, parameters)
    return done
  }

  /// Closes messages all of whose deliveries have just been accepted, which is the usual case for a one-time code sent
  /// to a single device, and writes their events. An accepted delivery never becomes pending again, so a single
  /// statement is enough. Returns the messages that were closed; the others need `finish(_:at:on:)`.
  /// - Parameter accepted: number of accepted deliveries by SEQNO, all from one committed transaction.
  package static func finish(accepted: [Seqno: Int64], at now: Timestamp) -> Query<Set<Seqno>> {
    var (seqnos, counts) = (Int64Column(), Int64Column())
    for (seqno, count) in accepted.sorted(by: { $0.key < $1.key }) {
      seqnos.append(seqno)
      counts.append(count)
    }
    return Query(finishAcceptedStatement, seqnos, counts, now) { rows in
      Set(rows.decode { $0.seqno() })
    }
  }

  /// Closes those of the given messages whose deliveries all have a final result, in a transaction of its own, which is
  /// retried up to four times. Returns the same messages as `finish(_:at:within:)`; none, without a transaction, if
  /// `seqnos` is empty.
  @discardableResult
  package static func finish(
    _ seqnos: some Collection<Seqno>, at now: Timestamp, on connection: Connection
  ) throws(PostgresError) -> [Seqno] {
    guard !seqnos.isEmpty else { return [] }
    return try connection.transaction(attempts: 5) { () throws(PostgresError) in
      try finish(seqnos, at: now, within: connection)
    }
  }

  private static func list(_ seqnos: some Collection<Seqno>) -> Parameters {
    var column = Int64Column()
    for seqno in seqnos { column.append(seqno) }
    return Parameters(column)
  }
}
