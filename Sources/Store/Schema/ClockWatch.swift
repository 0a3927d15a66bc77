internal import Postgres
package import Time

/// The check whether the database's clock can be trusted for irreversible work: rows that are deleted as expired are
/// lost, even if the clock was wrong for only a minute. The last observation is stored in the database, so all nodes
/// share it. A step back of over 30 seconds or forward of over ten minutes counts as a jump.
///
/// ```
///   seen ── advances, checked every few seconds ──► steady: expired rows are removed, statistics are rolled up
///     └ jumped, or unchecked for ten minutes ──► neither is done for an hour
/// ```
///
/// Decision 013.
package enum ClockWatch {
  package struct Reading: Sendable {
    /// The time by the database's clock.
    package let now: Timestamp
    /// True if neither a jump nor a gap of over ten minutes between observations has occurred within the last hour.
    package let isSteady: Bool
  }

  private static let readStatement = Statement(
    "clock-watch-read",
    """
    WITH checked AS (
      UPDATE clock_watch SET seen_at = clock_timestamp(),
        steady_since = CASE
          WHEN seen_at IS NULL
            -- A clock that is kept right is adjusted by less, and some node checks it within this time.
            OR clock_timestamp() BETWEEN seen_at - interval '30 seconds' AND seen_at + interval '10 minutes'
          THEN steady_since ELSE clock_timestamp() END
      -- Written once a minute.
      WHERE seen_at IS NULL
        OR clock_timestamp() NOT BETWEEN seen_at - interval '30 seconds' AND seen_at + interval '1 minute'
      RETURNING steady_since)
    SELECT clock_timestamp(),
      coalesce((SELECT steady_since FROM checked), (SELECT steady_since FROM clock_watch))
        <= clock_timestamp() - interval '1 hour'
    """)

  package static func read() -> Query<Reading> {
    Query(one: readStatement) { Reading(now: $0.timestamp(), isSteady: $0.bool()) }
  }
}
