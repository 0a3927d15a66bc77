internal import Domain
internal import Postgres

/// Rules that a database must satisfy at every instant. Each question counts the violations of a part of one rule.
///
/// I1, I2 and I7 are checked for all rows, except that unfinished work of messages from the last two minutes does not
/// count where the server may still be about to repair it. I5 (a user's count equals what the ledger says) can be
/// checked only in apps whose history is complete. It is not checked for guests, nor for users whose count was ever set
/// (the value is stored nowhere else), who have read a message (a read never lowers the count below 0), or to whose
/// count more than 1,000 was added (older programs recorded the requested instead of the actual increment). For all
/// others, the count must equal the sum of the increments that were not taken back. If there are many users, a sample
/// is checked: about half a million users, or fewer if campaigns have changed badges.
package enum Invariants {
  package struct Question {
    /// The rule's short name, for example `I5`.
    package let name: String
    package let promise: String
    package let broken: Query<Int64>
  }

  /// All questions. Each is one statement and so sees a single instant. Questions about deliveries read every delivery,
  /// so they take long in a large database.
  package static var all: [Question] {
    [
      question("I1", "an idempotency key has one message, and the index that sees to it is there", sameKeyStatement),
      question(
        "I2", "what is decided is never more than targeted, and all of it when the message is over", sumStatement),
      question("I2", "each accepted delivery that is stored was counted", acceptedStatement),
      question("I5", "a count that was never set nor read down is what the ledger's sends add up to", badgeStatement),
      question("I2", "no message is open of which nothing is left to be done", stuckStatement),
      question("I7", "nothing is claimed of messages that are over", claimsStatement),
      question(
        "I7", "nothing is under way in a block that nobody has claimed, and what waits in one has a time",
        blocksStatement),
      question("I7", "nothing waits for its time of messages that are over", waitingStatement),
      question("I7", "no claim outlives its node by more than a minute, where another node lives", leaseStatement),
    ]
  }

  private static func question(_ name: String, _ promise: String, _ statement: Statement) -> Question {
    Question(name: name, promise: promise, broken: Query(one: statement) { $0.int64() })
  }

  private static let sameKeyStatement = Statement(
    "invariants-same-key",
    """
    SELECT (SELECT count(*) FROM (
      SELECT FROM messages WHERE idempotency_key IS NOT NULL GROUP BY app, idempotency_key HAVING count(*) > 1) k)
    -- Lost by a hand, or by a restore that stopped half way.
    + CASE WHEN EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('messages_idempotency_key_is_unique')
      AND indisunique AND indisvalid) THEN 0 ELSE 1 END
    """)

  private static let sumStatement = Statement(
    "invariants-sum",
    """
    SELECT count(*) FROM messages m LEFT JOIN (
      SELECT seqno, sum(decided) AS decided
      FROM message_totals GROUP BY seqno) t USING (seqno)
    WHERE coalesce(t.decided, 0) > coalesce(m.targeted, 0)
      OR m.state >= \(MessageState.completed.sql) AND m.targeted IS NOT NULL AND coalesce(t.decided, 0) <> m.targeted
    """)

  private static let acceptedStatement = Statement(
    "invariants-accepted",
    """
    SELECT count(*) FROM (SELECT seqno, sum(stored) AS rows FROM (
      SELECT seqno, count(*) AS stored FROM outcomes WHERE status = \(OutcomeStatus.accepted.sql) GROUP BY seqno
      UNION ALL
      -- A state is below 16, so that 01 is nowhere but where a byte is.
      SELECT seqno, (length(states) - length(replace(states, '01', ''))) / 2
      FROM (SELECT seqno, encode(states, 'hex') AS states FROM block_states) b) s GROUP BY seqno) o
    LEFT JOIN (SELECT seqno, sum(accepted) AS accepted FROM message_totals GROUP BY seqno) t USING (seqno)
    -- Fewer rows than counted are right: history is erased, totals stay.
    WHERE o.rows > coalesce(t.accepted, 0)
    """)

  private static let badgeStatement = Statement(
    "invariants-badge",
    """
    WITH campaigns AS MATERIALIZED (
      SELECT DISTINCT m.app, m.seqno FROM blocks b JOIN messages m USING (seqno) WHERE b.increment IS NOT NULL)
    SELECT count(*) FROM users u TABLESAMPLE SYSTEM ((
      -- So many look-ups at most: a user is looked for in each campaign.
      SELECT least(100, 100 * 500000.0 / greatest(reltuples, 1) / (1 + 10 * (SELECT count(*) FROM campaigns)))::real
      FROM pg_class WHERE oid = 'users'::regclass))
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(e.increment), 0) AS added, coalesce(bool_or(e.read_option IS NOT NULL), false) AS was_read,
        coalesce(sum(e.increment) FILTER (WHERE e.negatives <> e.deliveries), 0) AS standing
      FROM (
        SELECT seqno FROM badge_ledger l WHERE l.app = u.app AND l.user_key = u.user_key
        UNION SELECT c.seqno FROM campaigns c WHERE c.app = u.app) s
      CROSS JOIN LATERAL badge_entry(u.app, u.user_key, s.seqno) e) l
    -- Apps of which nothing has been forgotten.
    WHERE u.app = ANY (ARRAY(SELECT app FROM apps a WHERE NOT EXISTS (
        SELECT FROM messages m
        WHERE m.app = a.app AND (m.forgotten_at IS NOT NULL OR m.seqno <@ (SELECT closed_seqnos())))))
      -- A guest begins anew under its key whenever it was somebody else meanwhile.
      AND u.user_key >= 'u'
      AND u.set_seqno IS NULL AND NOT l.was_read AND l.added <= 1000 AND u.badge <> l.standing
    """)

  private static let stuckStatement = Statement(
    "invariants-stuck",
    """
    SELECT count(*) FROM messages m WHERE m.state = \(MessageState.sending.sql) AND m.planned
      -- Older than a look of the janitor's, who settles them.
      AND m.created_at < now() - interval '2 minutes'
      AND NOT EXISTS (SELECT FROM shards s WHERE s.seqno = m.seqno AND NOT s.exhausted)
      AND NOT EXISTS (SELECT FROM claims c WHERE c.seqno = m.seqno)
      AND NOT EXISTS (SELECT FROM outcomes o WHERE o.seqno = m.seqno AND o.status = \(OutcomeStatus.deferred.sql))
      AND NOT EXISTS (SELECT FROM waits w WHERE w.seqno = m.seqno)
    """)

  private static let claimsStatement = Statement(
    "invariants-claims",
    """
    SELECT count(*) FROM claims JOIN messages USING (seqno) WHERE state >= \(MessageState.completed.sql)
    """)

  private static let blocksStatement = Statement(
    "invariants-blocks",
    """
    SELECT count(*) FROM block_states s
    WHERE position('\\x00'::bytea IN states) > 0
        AND NOT EXISTS (SELECT FROM claims c WHERE c.seqno = s.seqno AND c.block = s.block)
      OR position('\\x0b'::bytea IN states) > 0
        AND (length(encode(states, 'hex')) - length(replace(encode(states, 'hex'), '0b', ''))) / 2 IS DISTINCT FROM (
          SELECT sum(cardinality(w.places)) FROM waits w WHERE w.seqno = s.seqno AND w.block = s.block)
    """)

  private static let waitingStatement = Statement(
    "invariants-waiting",
    """
    SELECT (SELECT count(*) FROM outcomes o JOIN messages m USING (seqno)
      WHERE o.status = \(OutcomeStatus.deferred.sql) AND m.state >= \(MessageState.completed.sql))
      + (SELECT count(*) FROM waits w JOIN messages m USING (seqno) WHERE m.state >= \(MessageState.completed.sql))
    """)

  private static let leaseStatement = Statement(
    "invariants-lease",
    """
    SELECT count(*) FROM claims c WHERE EXISTS (SELECT FROM nodes WHERE alive_until > now())
      AND NOT EXISTS (SELECT FROM nodes n WHERE n.node = c.node AND n.alive_until > now() - interval '1 minute')
      -- A claim has no time of its own; a node that joined a moment ago has not had a look yet.
      AND EXISTS (SELECT FROM messages m WHERE m.seqno = c.seqno AND m.created_at < now() - interval '2 minutes'
        AND \(Controls.isSetAside) IS NOT TRUE)
    """)
}
