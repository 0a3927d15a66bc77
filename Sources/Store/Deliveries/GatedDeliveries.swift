package import Domain
package import Postgres
package import Time

/// Deferred deliveries of messages whose gate (`Gates`) has a pace, or had one. When the night ends or a send window
/// opens, a whole audience may become due at the same moment; so these deliveries are claimed message by message, under
/// the lock on the gate, and no faster than the pace allows. `Claims.due` and `Waits.takeUp` claim those of all other
/// messages, many messages at a time, because hundreds of thousands of messages to one user each may wait for the same
/// window. If the data of one message makes that fail, they too are claimed message by message (`Claims.dueMessages`).
///
/// Until the pace lets them pass, any number of these deliveries stays due. They are found by their message, so that a
/// new pace applies to them at once, and so that scans for other due deliveries do not read many of them.
package enum GatedDeliveries {
  private static let dueStatement = Statement(
    "gated-deliveries-due",
    """
    SELECT m.seqno
    FROM gates g CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m.seqno = g.seqno OFFSET 0) m
      JOIN apps a ON a.app = m.app
    WHERE \(Gates.isPaced)
      AND m.state = \(MessageState.sending.sql) AND m.lane = ANY($2) AND NOT \(LatenessCondition.isLate)
      -- A message that has expired meanwhile ends, whatever holds it back.
      AND (m.expires_at <= $1 OR a.paused_reason IS NULL AND (g.ready_at IS NULL OR g.ready_at <= clock_timestamp()))
      -- By the database's clock too: it decides when permitted hours begin.
      AND ((SELECT 1 FROM waits w WHERE w.seqno = m.seqno AND w.due_at <= $1 AND w.due_at <= clock_timestamp() LIMIT 1)
          IS NOT NULL
        OR (SELECT 1 FROM outcomes o WHERE o.seqno = m.seqno AND o.status = \(OutcomeStatus.deferred.sql)
          AND o.due_at <= $1 AND o.due_at <= clock_timestamp() LIMIT 1) IS NOT NULL)
    ORDER BY m.lane, m.seqno LIMIT $3
    """)

  /// Returns at most `limit` messages, ordered by lane and SEQNO, that have a pace or had one, are being sent in
  /// `lanes`, are not late and have deferred deliveries that are due. Omits messages whose pace allows nothing at
  /// present, and those of paused apps, unless they have expired at `now`.
  package static func due(at now: Timestamp, lanes: [Lane], atMost limit: Int) -> Query<[Seqno]> {
    Query(each: dueStatement, now, Int16Column(lanes), limit) { $0.seqno() }
  }

  private static let takeStatement = Statement(
    "gated-deliveries-take",
    """
    UPDATE outcomes o SET due_at = NULL FROM (
      SELECT w.seqno, w.device FROM outcomes w
      WHERE w.seqno = $1 AND w.status = \(OutcomeStatus.deferred.sql)
        AND w.due_at <= $2 AND w.due_at <= clock_timestamp()
      ORDER BY w.due_at LIMIT $3 FOR UPDATE SKIP LOCKED) due
    WHERE o.seqno = due.seqno AND o.device = due.device
    RETURNING o.device, o.user_key, o.attempts, o.reason
    """)

  private static func take(_ seqno: Seqno, at now: Timestamp, limit: Int) -> Query<[Claims.Entry]> {
    Query(each: takeStatement, seqno, now, limit) { row in
      Claims.Entry(
        device: row.device(), userKey: row.userKey(), attempts: Tries(stored: row.int16()),
        deferredFor: row.optionalText())
    }
  }

  /// Claims at most `devices` due deliveries of a message, within a transaction that has locked the message's gate.
  /// Returns the claims: one for each block, and one for the deliveries with rows of their own; none if nothing is due.
  package static func takeUp(
    _ seqno: Seqno, at now: Timestamp, devices: Int, node: UUIDValue, on connection: Connection
  ) throws(PostgresError) -> [Waits.Taken] {
    // Blocks are locked before rows, in the same order as by the transactions that write outcomes.
    var claims = try Waits.takeUp(of: seqno, at: now, devices: devices, node: node, on: connection)
    let left = devices - claims.reduce(0) { $0 + $1.entries.count }
    guard left > 0 else { return claims }
    let entries = try connection.run(take(seqno, at: now, limit: left))
    guard !entries.isEmpty else { return claims }
    let hold = try connection.run(Claims.create(seqno, node: node, entries))
    claims.append((seqno, hold, entries))
    return claims
  }
}
