internal import Domain

/// SQL conditions for lateness; `Lateness` explains them and ends late messages.
enum LatenessCondition {
  private static let deadline = "clock_timestamp() - interval '60 minutes'"
  /// SQL interval from the beginning of the hour to its last second.
  static let almostAnHour = "interval '3599 seconds'"

  /// SQL condition: an hour has passed since message `m` was due or, if its daily send window was closed then, since
  /// the window opened; if the window closed before that hour was over, since it opened again. An hour has also passed
  /// since the night or the devices' send window permitted it (`Lateness.reckonHours`), and since the last of its
  /// deliveries stopped waiting for that. False for a message with a window in the app's time zone while PostgreSQL
  /// does not know that zone; NULL for one without a scheduled time. Until an hour has passed since `due_at`, it costs
  /// a single comparison.
  static let isHourOver = """
    (m.due_at < \(LatenessCondition.deadline)
      AND (m.put_off_until IS NULL OR m.put_off_until < \(LatenessCondition.deadline))
      AND coalesce((SELECT CASE
          -- In an unknown zone nobody can say when the window opens: whoever plans or claims the message sets it aside.
          WHEN o.opens_at IS NULL THEN 'infinity'::timestamptz
          ELSE coalesce(
            window_opens_at(
              o.opens_at + \(LatenessCondition.almostAnHour), a.time_zone, g.window_opens, g.window_closes),
            o.opens_at) END
        FROM gates g JOIN apps a ON a.app = m.app CROSS JOIN LATERAL (SELECT CASE WHEN \(TimeZones.isOfAppKnown)
          THEN coalesce(window_opens_at(m.due_at, a.time_zone, g.window_opens, g.window_closes), m.due_at)
          END AS opens_at OFFSET 0) o
        WHERE g.seqno = m.seqno AND g.window_opens IS NOT NULL),
        m.due_at) < \(LatenessCondition.deadline))
    """

  /// SQL condition: gate `g` holds devices back by its pace or its canary, or has done so within the last hour. A wait
  /// that the message itself asks for makes it not late, and after the wait it has an hour again.
  private static let holdsBack = """
    (g.canary_phase IN (1, 3) OR g.canary_until >= \(LatenessCondition.deadline)
      OR g.ready_at >= \(LatenessCondition.deadline)
      OR g.pace_devices IS NOT NULL AND g.counted_at >= \(LatenessCondition.deadline))
    """

  /// SQL condition: message `m`, which is planned, is late. Its hour is over; its pace and canary have held nothing
  /// back for an hour; and nobody can have received it. False for a message by local time, whose waves are judged one
  /// by one (`isLateWave`), and for one without a scheduled time.
  static let isLate = """
    (m.due_at IS NOT NULL AND m.local_time IS NULL AND \(LatenessCondition.isHourOver)
      -- Look-ups of single messages: never a plan that reads whole tables.
      AND (SELECT 1 FROM gates g WHERE g.seqno = m.seqno AND \(LatenessCondition.holdsBack) LIMIT 1) IS NULL
      AND (SELECT 1 FROM message_totals t WHERE t.seqno = m.seqno AND (t.accepted > 0 OR t.unknown > 0) LIMIT 1) IS NULL
      AND (SELECT 1 FROM claims c WHERE c.seqno = m.seqno LIMIT 1) IS NULL
      AND (SELECT 1 FROM outcomes o WHERE o.seqno = m.seqno AND o.status = \(OutcomeStatus.deferred.sql)
        AND o.reason IN ('window', 'night') LIMIT 1)
        IS NULL
      AND (SELECT 1 FROM waits w WHERE w.seqno = m.seqno AND w.reason IN ('window', 'night') LIMIT 1) IS NULL)
    """

  /// SQL condition: wave `w` was due over an hour ago, and the night and the devices' send window have permitted it for
  /// an hour (`Lateness.reckonHours`). False for the final sweep (`Waves`).
  static let isHourOfWaveOver = """
    (NOT w.sweeps AND w.due_at < \(LatenessCondition.deadline)
      AND (SELECT 1 FROM messages m WHERE m.seqno = w.seqno
        AND w.due_at + (m.put_off_until - m.due_at) >= \(LatenessCondition.deadline) LIMIT 1) IS NULL)
    """

  /// SQL condition: the hour of wave `w` is over, the message's pace and canary have held nothing back for an hour, and
  /// none of the wave's devices has been claimed. False in a message with a daily send window in the app's time zone,
  /// whose waves wait for the window.
  static let isLateWave = """
    (\(LatenessCondition.isHourOfWaveOver)
      AND (SELECT 1 FROM shards b WHERE b.seqno = w.seqno AND b.wave = w.wave AND b.claimed > 0 LIMIT 1) IS NULL
      AND (SELECT 1 FROM gates g WHERE g.seqno = w.seqno
        AND (g.window_opens IS NOT NULL OR \(LatenessCondition.holdsBack)) LIMIT 1) IS NULL)
    """

  /// SQL condition: shard `s` may be claimed, because it belongs to no wave, or its wave has been opened and is not
  /// late.
  static let isOpen = """
    (s.wave = 0 OR EXISTS (
      SELECT FROM waves w WHERE w.seqno = s.seqno AND w.wave = s.wave AND w.opened AND NOT \(LatenessCondition.isLateWave)))
    """
}
