internal import Domain
internal import Postgres

/// The correction of future times in single deliveries and messages. Each statement changes at most `most` rows,
/// because a campaign may have a million; the corrections run again while the clock is not steady. They skip locked
/// rows.
extension FutureWatermarks {
  private static let most = 10000

  /// Makes retries due now whose due time is over 31 days away. The longest regular wait, which a push network can ask
  /// for, is 30 days. Uses `now()`, because an index cannot be searched for `clock_timestamp()`.
  static let outcomesStatement = Statement(
    "future-marks-outcomes",
    """
    UPDATE outcomes o SET due_at = now() FROM (
      SELECT seqno, device FROM outcomes
      WHERE status = \(OutcomeStatus.deferred.sql) AND due_at > now() + interval '31 days'
      LIMIT \(most) FOR UPDATE SKIP LOCKED) f
    WHERE o.seqno = f.seqno AND o.device = f.device
    """)

  /// Does the same for deliveries in blocks. Merges rows that differ only in their due time.
  static let waitsStatement = Statement(
    "future-marks-waits",
    """
    WITH far AS MATERIALIZED (
      SELECT seqno, block, due_at, reason FROM waits WHERE due_at > now() + interval '31 days'
      LIMIT \(most) FOR UPDATE SKIP LOCKED)
    , taken AS (
      DELETE FROM waits w USING far f
      WHERE w.seqno = f.seqno AND w.block = f.block AND w.due_at = f.due_at AND w.reason = f.reason
      RETURNING w.seqno, w.block, w.reason, w.at, w.places)
    INSERT INTO waits (seqno, block, due_at, reason, at, places)
    SELECT t.seqno, t.block, date_trunc('second', now()), t.reason, max(t.at), array_agg(p.place)
    FROM taken t, unnest(t.places) AS p(place) GROUP BY t.seqno, t.block, t.reason
    ON CONFLICT (seqno, block, due_at, reason) DO UPDATE SET places = waits.places || excluded.places
    """)

  private static let newest = """
    WITH newest AS MATERIALIZED (
      SELECT seqno, created_at, finished_at FROM messages WHERE seqno > (SELECT max(seqno) - 50000 FROM messages))
    """

  /// SQL condition: the times of message `m` are in the future for a reason other than a clock that is behind now. A
  /// clock that is a year behind for a minute sees a year of correct times in the future; moved to its now, they would
  /// be a year too old once it is right again. So of the messages created in the future, only those after a gap count:
  /// an earlier message was created before now, and none in the 31 days from now on.
  private static let isJudged = """
    (m.created_at <= now()
      OR m.seqno > (SELECT min(seqno) FROM newest WHERE created_at <= now())
        AND NOT EXISTS (SELECT FROM newest WHERE created_at > now() AND created_at < now() + interval '31 days'))
    """

  /// Sets the deadlines of SMS fallbacks that are over 31 days away to three minutes from now, the usual delay, so that
  /// a push that is still on its way can be confirmed. A regular delay is at most a day, plus the wait for permitted
  /// hours. Leaves out deadlines that only look far away because the clock is behind: once it is right, all SMS would
  /// be requested at once.
  static let fallbacksStatement = Statement(
    "future-marks-fallbacks",
    """
    \(newest)
    UPDATE fallbacks f SET due_at = now() + interval '3 minutes' FROM (
      SELECT w.seqno, w.user_key FROM fallbacks w JOIN messages m ON m.seqno = w.seqno
      WHERE w.decision IS NULL AND w.due_at > now() + interval '31 days' AND \(isJudged)
      LIMIT \(most) FOR UPDATE OF w SKIP LOCKED) l
    WHERE f.seqno = l.seqno AND f.user_key = l.user_key
    """)

  /// Moves ends of messages that lie in the future to now, because otherwise their content, recipients and history
  /// would be kept until then. Covers every confidential message, and others among the newest 50,000: no index leads to
  /// the ends of all messages, and reading millions of them would keep a starting node busy. Leaves out ends that only
  /// look like future ones because the clock is behind: once it is right, that history would be removed too early.
  static let endsStatement = Statement(
    "future-marks-ends",
    """
    \(newest)
    UPDATE messages e SET finished_at = now() FROM (
      SELECT m.seqno FROM messages m WHERE m.seqno IN (
          SELECT seqno FROM messages WHERE sealed IS NOT NULL AND finished_at > now() + interval '1 hour'
          UNION
          SELECT seqno FROM newest WHERE finished_at > now() + interval '1 hour')
        AND \(isJudged)
      LIMIT \(most) FOR UPDATE SKIP LOCKED) f
    WHERE e.seqno = f.seqno
    """)
}
