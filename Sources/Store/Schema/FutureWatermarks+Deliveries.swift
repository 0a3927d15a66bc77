internal import Domain
internal import Postgres

/// The correction of future times in single deliveries. Each statement changes at most `most` rows, because a campaign
/// may have a million; the corrections run again while the clock is not steady. They skip locked rows.
///
/// Deadlines of SMS fallbacks and ends of messages are left as they are: no statement can tell one that a clock ahead
/// has written from one that a clock which is behind sees. Corrected wrongly, every pending SMS would be requested at
/// once, and history would be removed too early.
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
}
