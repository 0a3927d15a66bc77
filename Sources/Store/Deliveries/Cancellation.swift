package import Domain
package import Postgres
package import Time

/// Applies a cancellation to a message. Everything that was not submitted becomes cancelled:
///
/// - the unplanned rest of the audience and the unclaimed rest of each shard: immediately, in the totals only;
/// - deferred deliveries: their rows and blocks, in batches; those that may have arrived on an earlier try become
///   skipped instead;
/// - claimed deliveries: by the node that holds the claim, before their next try.
///
/// Each step is one transaction that leaves the totals exact. Any node can repeat a step at any time.
package enum Cancellation {
  package enum Limits {
    /// Maximum number of deferred deliveries with rows that are ended in one transaction.
    package static let batch = 2_000
    /// Maximum number of blocks whose deferred deliveries are ended in the same transaction.
    static let blocks = 4
    /// Writer number under which these steps add to totals; the same on every node.
    package static let writer: Int32 = 0
  }

  package static let reason = OutcomeStatus.cancelled.name

  // MARK: Unclaimed devices

  private static let closeShardsStatement = Statement(
    "cancellation-close-shards",
    """
    UPDATE shards s SET exhausted = true, targeted = greatest(s.targeted, s.claimed)
    FROM (
      SELECT seqno, shard, targeted FROM shards WHERE seqno = $1 AND ($2 IS NULL OR wave = $2) AND NOT exhausted
      -- Claims lock the shards in this order too (`Shards.lockAll`).
      ORDER BY shard FOR UPDATE) planned
    WHERE s.seqno = planned.seqno AND s.shard = planned.shard
    RETURNING planned.targeted, s.claimed
    """)

  /// Marks the shards of a message as exhausted, so that nothing more is claimed from them, and raises their `targeted`
  /// to the claimed number where that is higher. Returns the number of planned devices that were never claimed, and the
  /// number of devices by which other shards were raised; both 0 if all shards were exhausted before.
  /// - Parameter wave: only the shards of this wave; nil for all.
  static func closeShards(_ seqno: Seqno, wave: Int16?) -> Query<(unclaimed: Int64, surplus: Int64)> {
    Query(closeShardsStatement, seqno, wave) { rows in
      var answer: (unclaimed: Int64, surplus: Int64) = (0, 0)
      rows.forEach { row in
        let rest = row.int64() - row.int64()
        answer.unclaimed += max(0, rest)
        answer.surplus += max(0, -rest)
      }
      return answer
    }
  }

  private static let endPlanStatement = Statement(
    "cancellation-end-plan",
    """
    UPDATE messages m SET planned = true, targeted = greatest(m.targeted, s.targeted)
    FROM (SELECT coalesce(sum(targeted), 0)::bigint AS targeted FROM shards WHERE seqno = $1) s
    WHERE m.seqno = $1 AND NOT m.planned
    -- Counted when it was accepted, and in no shard.
    RETURNING m.targeted - s.targeted
    """)

  /// Marks a message as planned, and raises its `targeted` to the sum of its shards. Returns the number of devices that
  /// were counted but not planned into shards, 0 if the audience was never counted; nil if the message was planned
  /// before.
  private static func endPlan(_ seqno: Seqno) -> Query<Int64?> {
    Query(first: endPlanStatement, seqno) { $0.int64() }
  }

  /// Performs the first step, in a transaction of its own: ends the planning of a message and all its shards, and adds
  /// everything that was not claimed to the totals as cancelled. Has no effect when repeated.
  package static func endUnclaimed(_ seqno: Seqno, on connection: Connection) throws(PostgresError) {
    try connection.transaction(attempts: 5) { () throws(PostgresError) in
      // Lock shards before the message, in the same order as claims do. No shards can be added, because planning checks
      // the message's state first.
      let shards = try connection.run(closeShards(seqno, wave: nil))
      let unplanned = try connection.run(endPlan(seqno))
      // If the plan was unfinished, `endPlan` has used the shards' actual numbers; otherwise correct the surplus here.
      if unplanned == nil, shards.surplus > 0 {
        try connection.run(Messages.correctTargeted(seqno, by: shards.surplus))
      }
      try count(shards.unclaimed + (unplanned ?? 0), .cancelled, reason: reason, of: seqno, on: connection)
    }
  }

  /// Adds ended deliveries to a message's totals, reasons and statistics, within the transaction that ends them. In the
  /// totals, a status other than cancelled or expired is counted as skipped. Has no effect for 0 deliveries.
  static func count(
    _ deliveries: Int64, _ status: OutcomeStatus, reason: String, of seqno: Seqno, on connection: Connection
  ) throws(PostgresError) {
    guard deliveries > 0 else { return }
    var increase = Outcomes.Increase()
    switch status {
    case .cancelled: increase.cancelled = deliveries
    case .expired: increase.expired = deliveries
    default: increase.skipped = deliveries
    }
    increase.reasons[reason] = deliveries
    for query in Outcomes.add([seqno: increase], writer: Limits.writer) { try connection.run(query) }
    try connection.run(Statistics.add(of: seqno, deliveries, status, reason: reason, writer: Limits.writer))
  }

  // MARK: Deferred deliveries

  private static let deferredStatement = Statement(
    "cancellation-deferred",
    """
    UPDATE outcomes o SET
      -- Negative: it may have arrived, and that is what is said of it.
      status = CASE WHEN o.attempts < 0 THEN 5 ELSE $4 END, reason = CASE WHEN o.attempts < 0 THEN $5 ELSE $2 END,
      attempts = abs(o.attempts), due_at = NULL, at = now()
    FROM (
      SELECT seqno, device, attempts < 0 AS is_doubtful FROM outcomes
      -- One without due time is claimed: it is decided when it comes back.
      WHERE seqno = $1 AND status = \(OutcomeStatus.deferred.sql) AND due_at IS NOT NULL ORDER BY device
        LIMIT $3 FOR UPDATE SKIP LOCKED) due
    WHERE o.seqno = due.seqno AND o.device = due.device
    RETURNING o.user_key, due.is_doubtful
    """)

  /// Ends one batch of deferred deliveries that have rows. Returns the user of each, and whether the delivery may have
  /// arrived on an earlier try; it is then skipped, whatever `status` is. Rows that are claimed, or that another
  /// transaction has locked, remain.
  private static func endDeferred(
    _ seqno: Seqno, as status: OutcomeStatus, reason: String
  ) -> Query<[(user: UserKey, mayHaveArrived: Bool)]> {
    Query(each: deferredStatement, seqno, reason, Limits.batch, status.rawValue, SkipReason.unknownNotResent.rawValue) {
      ($0.userKey(), $0.bool())
    }
  }

  /// Ends one batch of a message's deferred deliveries, with rows and in blocks, and adds them to the totals, all in a
  /// transaction of its own. Returns true if there may be more; if false, only deliveries that another transaction has
  /// locked can be left.
  /// - Parameter movesBadge: true if the message changes badge counts; its increment is then taken back from users all
  ///   of whose deliveries were unsuccessful.
  static func endDeferred(
    _ seqno: Seqno, app: App.Number, movesBadge: Bool, as status: OutcomeStatus = .cancelled,
    reason: String = Cancellation.reason, on connection: Connection
  ) throws(PostgresError) -> Bool {
    try connection.transaction(attempts: 5) { () throws(PostgresError) in
      // Lock blocks before rows, in the same order as transactions that record outcomes.
      let waiting = try Waits.end(seqno, as: status, reason: reason, blocks: Limits.blocks, on: connection)
      let deferred = try connection.run(endDeferred(seqno, as: status, reason: reason))
      let ended = waiting.map { (user: $0, mayHaveArrived: false) } + deferred
      guard !ended.isEmpty else { return false }
      if movesBadge {
        try takeBackBadges(ended.map { Users.Key(app: app, userKey: $0.user) }, of: seqno, on: connection)
      }
      let doubtful = Int64(ended.count(where: \.mayHaveArrived))
      try count(Int64(ended.count) - doubtful, status, reason: reason, of: seqno, on: connection)
      try count(doubtful, .skipped, reason: SkipReason.unknownNotResent.rawValue, of: seqno, on: connection)
      return deferred.count == Limits.batch || !waiting.isEmpty
    }
  }

  /// Records one unsuccessful delivery for each element of `users`, and takes the message's badge increment back from
  /// users all of whose deliveries were unsuccessful, with the exceptions of `Increments.revoke`.
  private static func takeBackBadges(
    _ users: [Users.Key], of seqno: Seqno, on connection: Connection
  ) throws(PostgresError) {
    var negatives: [Ledger.Key: Int32] = [:]
    for user in users { negatives[Ledger.Key(user: user, seqno: seqno), default: 0] += 1 }
    try Increments.revoke(negatives, on: connection)
  }

  /// Performs all steps that need no answer from a push network, in several transactions, then ends the message if no
  /// delivery is in progress. Must not be called within a transaction.
  /// - Parameters:
  ///   - movesBadge: true if the message changes badge counts.
  ///   - goesOn: asked after each batch of deferred deliveries, of which a message may have thousands; false leaves the
  ///     rest to the next call.
  /// - Returns: true if this call has ended the message; false if deliveries are still deferred or in progress, or if it
  ///   had ended before.
  @discardableResult
  package static func sweep(
    _ seqno: Seqno, app: App.Number, movesBadge: Bool, now: Timestamp, on connection: Connection,
    while goesOn: () -> Bool
  ) throws(PostgresError) -> Bool {
    try endUnclaimed(seqno, on: connection)
    while try endDeferred(seqno, app: app, movesBadge: movesBadge, on: connection) {
      guard goesOn() else { return false }
    }
    return try !Messages.finish([seqno], at: now, on: connection).isEmpty
  }
}
