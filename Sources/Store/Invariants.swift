internal import Postgres

/// What must hold in a database at every instant, as questions: each counts what breaks it.
package enum Invariants {
  package struct Question {
    /// Its name in the promises, and the promise.
    package let name: String
    package let promise: String
    package let broken: Query<Int64>
  }

  /// All of them. Each is one statement, so it sees one instant; those about deliveries read every row of them.
  package static var all: [Question] {
    [
      question("I1", "an idempotency key has one message", sameKeyStatement),
      question(
        "I2", "what is decided is never more than targeted, and all of it when the message is over", sumStatement),
      question("I2", "each accepted delivery that is stored was counted", acceptedStatement),
      question("I5", "a count is within 0 and 1000", badgeStatement),
      question("I7", "nothing is claimed of messages that are over", claimsStatement),
      question("I7", "nothing waits for its time of messages that are over", waitingStatement),
      question("I7", "no claim outlives its node by more than a minute, where another node lives", leaseStatement),
    ]
  }

  private static func question(_ name: String, _ promise: String, _ statement: Statement) -> Question {
    Question(name: name, promise: promise, broken: Query(statement, Parameters()) { $0.int64(0, 0) })
  }

  private static let sameKeyStatement = Statement(
    "invariants-same-key",
    """
    SELECT count(*) FROM (
      SELECT FROM messages WHERE idempotency_key IS NOT NULL GROUP BY app, idempotency_key HAVING count(*) > 1) k
    """)

  private static let sumStatement = Statement(
    "invariants-sum",
    """
    SELECT count(*) FROM messages m LEFT JOIN (
      SELECT seqno, sum(accepted + rejected + expired + cancelled + skipped) AS decided
      FROM message_totals GROUP BY seqno) t USING (seqno)
    WHERE coalesce(t.decided, 0) > coalesce(m.targeted, 0)
      OR m.state >= 4 AND m.targeted IS NOT NULL AND coalesce(t.decided, 0) <> m.targeted
    """)

  private static let acceptedStatement = Statement(
    "invariants-accepted",
    """
    SELECT count(*) FROM (SELECT seqno, count(*) AS rows FROM outcomes WHERE status = 1 GROUP BY seqno) o
    LEFT JOIN (SELECT seqno, sum(accepted) AS accepted FROM message_totals GROUP BY seqno) t USING (seqno)
    -- Fewer rows than counted are right: history is erased, totals stay.
    WHERE o.rows > coalesce(t.accepted, 0)
    """)

  private static let badgeStatement = Statement(
    "invariants-badge", "SELECT count(*) FROM users WHERE badge NOT BETWEEN 0 AND 1000")

  private static let claimsStatement = Statement(
    "invariants-claims", "SELECT count(*) FROM claims JOIN messages USING (seqno) WHERE state >= 4")

  private static let waitingStatement = Statement(
    "invariants-waiting",
    "SELECT count(*) FROM outcomes o JOIN messages m USING (seqno) WHERE o.status = 6 AND m.state >= 4")

  private static let leaseStatement = Statement(
    "invariants-lease",
    """
    SELECT count(*) FROM claims c WHERE EXISTS (SELECT FROM nodes WHERE alive_until > now())
      AND NOT EXISTS (SELECT FROM nodes n WHERE n.node = c.node AND n.alive_until > now() - interval '1 minute')
      -- A claim has no time of its own; a node that joined a moment ago has not had a look yet.
      AND EXISTS (SELECT FROM messages m WHERE m.seqno = c.seqno AND m.created_at < now() - interval '2 minutes')
    """)
}
