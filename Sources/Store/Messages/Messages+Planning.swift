package import Domain
internal import Postgres
package import Time

/// The planner's changes to a message: freezing and counting its audience.
extension Messages {
  private static let freezeStatement = Statement(
    "messages-freeze",
    """
    UPDATE messages m SET frozen_at = coalesce(m.frozen_at, $2),
      held = CASE WHEN h.is_held THEN m.held ELSE 0 END,
      -- One that is counted first is queued until it is.
      state = CASE WHEN m.state = \(MessageState.queued.sql) AND NOT h.is_held THEN 2 ELSE m.state END
    FROM (
      SELECT seqno, held > \(MessageHold.none.sql) AND (frozen_at IS NOT NULL
        -- Nobody is asked in this app.
        OR (SELECT \(ApprovalHolds.most("f.asked_by")) FROM apps a WHERE a.app = f.app) IS NOT NULL) AS is_held
      -- The lock keeps a second planner out until this shard is committed.
      FROM messages f WHERE seqno = $1
        AND state IN (\(MessageState.queued.sql), \(MessageState.sending.sql), \(MessageState.paused.sql))
        AND NOT planned AND cancelled_at IS NULL FOR UPDATE) h
    WHERE m.seqno = h.seqno
      -- A reserved one that comes this late fails instead (by local time: zone by zone).
      AND (m.due_at IS NULL OR m.frozen_at IS NOT NULL OR m.local_time IS NOT NULL
        OR NOT \(LatenessCondition.isHourOver))
    RETURNING m.frozen_at, m.held <> \(MessageHold.none.sql)
    """)

  /// Locks a message and begins or continues its planning, within a transaction. The first call freezes the audience at
  /// `now`; a queued message that needs no decision by `ApprovalHolds` becomes `sending`.
  /// - Returns: when the audience was frozen, and whether `ApprovalHolds` must decide once planning is complete. Nil,
  ///   without changes, if the message must not be planned: it is planned already, scheduled, ended or being cancelled,
  ///   does not exist, or its hour is over without its having been frozen (unless it is sent by local time).
  package static func freeze(_ seqno: Seqno, at now: Timestamp) -> Query<(frozenAt: Timestamp, isHeld: Bool)?> {
    Query(first: freezeStatement, seqno, now) { ($0.timestamp(), $0.bool()) }
  }

  private static let finishPlanStatement = Statement(
    "messages-finish-plan",
    """
    UPDATE messages SET planned = true, targeted = (SELECT coalesce(sum(targeted), 0) FROM shards WHERE seqno = $1)
    WHERE seqno = $1
    """)

  /// Records that all shards are written, and sets `targeted` to the sum of the shards' devices.
  package static func finishPlan(_ seqno: Seqno) -> Query<Void> {
    Query(finishPlanStatement, seqno) { _ in }
  }

  private static let raiseTargetedStatement = Statement(
    "messages-raise-targeted",
    """
    UPDATE messages SET targeted = greatest(targeted, (SELECT sum(targeted) FROM shards WHERE seqno = $1))
    -- Not counted yet stays so until planning ends.
    WHERE seqno = $1 AND targeted IS NOT NULL
    """)

  /// Raises `targeted` after a shard was written, if the shards have more devices than were counted when the message
  /// was accepted, so that the number of deliveries with a result never exceeds `targeted`. Changes nothing if the
  /// message was not counted then.
  package static func raiseTargeted(_ seqno: Seqno) -> Query<Void> {
    Query(raiseTargetedStatement, seqno) { _ in }
  }

  private static let correctStatement = Statement(
    "messages-correct", "UPDATE messages SET targeted = targeted + $2 WHERE seqno = $1")

  /// Adds `difference` to `targeted` after a shard turned out to have more (positive) or fewer (negative) devices than
  /// planned. Changes nothing while the message is not counted.
  package static func correctTargeted(_ seqno: Seqno, by difference: Int64) -> Query<Void> {
    Query(correctStatement, seqno, difference) { _ in }
  }
}
