internal import Postgres

/// Whether the database's clock can be trusted for irreversible work: rows removed as expired are gone, even if the
/// clock was wrong for only a minute. All nodes share one observation, which the database records.
///
/// ```
///   seen ── advances, checked every few seconds ──► steady: expired rows are removed, statistics are rolled up
///     └ jumped, or unchecked for ten minutes ──► neither is done for an hour
/// ```
///
/// Decision 013.
package enum ClockWatch {
  package struct Look: Sendable {
    /// The database's clock, in microseconds since 1970.
    package let now: Int64
    /// No jump has been observed within the last hour.
    package let isSteady: Bool
  }

  private static let lookStatement = Statement(
    "clock-watch-look",
    """
    WITH looked AS (
      UPDATE clock_watch SET seen_at = clock_timestamp(),
        steady_since = CASE
          WHEN seen_at IS NULL
            -- A clock that is kept right is set by less, and somebody looks within this time.
            OR clock_timestamp() BETWEEN seen_at - interval '30 seconds' AND seen_at + interval '10 minutes'
          THEN steady_since ELSE clock_timestamp() END
      -- Written once a minute.
      WHERE seen_at IS NULL
        OR clock_timestamp() NOT BETWEEN seen_at - interval '30 seconds' AND seen_at + interval '1 minute'
      RETURNING steady_since)
    SELECT clock_timestamp(),
      coalesce((SELECT steady_since FROM looked), (SELECT steady_since FROM clock_watch))
        <= clock_timestamp() - interval '1 hour'
    """)

  package static func look() -> Query<Look> {
    Query(lookStatement, Parameters()) { Look(now: $0.timestampMicroseconds(0, 0), isSteady: $0.bool(0, 1)) }
  }
}
