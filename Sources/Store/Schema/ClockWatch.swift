internal import Postgres

/// Whether the database's clock can be believed where nothing can be undone: what is removed because its time is over is
/// gone, though a clock was only wrong for a minute. All nodes look together, and the database remembers when they did.
///
/// ```
///   seen ── goes on, looked at every few seconds ──► steady: what is over is removed, statistics are made
///     └ jumped, or nobody looked for ten minutes ──► an hour in which neither is done
/// ```
package enum ClockWatch {
  package struct Look: Sendable {
    /// What the database's clock shows, microseconds since 1970.
    package let now: Int64
    /// It has not jumped within the last hour, as far as anybody knows.
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
