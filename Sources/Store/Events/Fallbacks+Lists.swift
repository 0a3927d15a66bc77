package import Domain
internal import Postgres
package import Time

/// Lists of SMS fallbacks, and the deletion of fallbacks that were decided over a month ago.
extension Fallbacks {
  package struct Entry: Sendable {
    package let userKey: UserKey
    /// The deadline: when the SMS is requested if the push has not been confirmed.
    package let dueAt: Timestamp
    /// The decision; nil while the fallback is pending.
    package let decision: Decision?
    package let decidedAt: Timestamp?
    package let lateAt: Timestamp?
  }

  private static let listStatement = Statement(
    "fallbacks-list",
    """
    SELECT user_key, due_at, coalesce(decision, 0::smallint), decided_at, late_at FROM fallbacks
    WHERE seqno = $1 AND user_key > $2 ORDER BY user_key LIMIT $3
    """)

  /// Returns at most `limit` fallbacks of a message, pending or decided, in ascending order of user key, starting after
  /// `userKey`.
  package static func list(_ seqno: Seqno, after userKey: UserKey, limit: Int) -> Query<[Entry]> {
    Query(each: listStatement, seqno, userKey.text, limit) { row in
      Entry(
        userKey: row.userKey(), dueAt: row.timestamp(),
        decision: Decision(rawValue: row.int16()),
        decidedAt: row.optionalTimestamp(),
        lateAt: row.optionalTimestamp())
    }
  }

  static let pruneStatement = Statement(
    "fallbacks-prune",
    """
    DELETE FROM fallbacks f WHERE (seqno, user_key) IN (
      -- Receipts count for 30 days.
      SELECT seqno, user_key FROM fallbacks WHERE decided_at < now() - interval '31 days' LIMIT $1
      FOR UPDATE SKIP LOCKED)
    """)
}

/// Deletion of events that are over 30 days old (over 500 for expiring credentials), no longer wait for delivery, and
/// were not given up within the last `EventDeliveries.patienceDays` days.
extension Events {
  static let pruneStatement = Statement(
    "events-prune",
    """
    WITH old AS (
      SELECT event FROM events e
      WHERE at < now() - interval '30 days'
        -- What is told once must be remembered for as long as it could happen again.
        AND (subject IS NULL OR event_kind <> 'credential.expiring' OR at < now() - interval '500 days')
        AND NOT EXISTS (SELECT FROM event_deliveries d WHERE d.event = e.event
          AND (d.state = \(Events.State.waiting.sql)
            -- Given up late, after a replay or a long wait: leaves operators time to see it and to replay it.
            OR d.state = \(Events.State.dead.sql)
              AND d.ended_at > now() - interval '\(EventDeliveries.patienceDays) days'))
      ORDER BY at LIMIT $1 FOR UPDATE SKIP LOCKED)
    , told AS (DELETE FROM event_deliveries WHERE event IN (SELECT event FROM old))
    DELETE FROM events WHERE event IN (SELECT event FROM old)
    """)
}
