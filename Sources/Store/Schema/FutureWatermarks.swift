internal import Postgres

/// Marks that say how far something has come, or until when somebody has something, and that a clock has set too far ahead
/// when it jumped: until that time comes, nothing would move. What no clock that is right could have set is brought back.
package enum FutureWatermarks {
  /// How far statistics by the hour are made. They are made again from the first minute that is there: what is before it
  /// was made of minutes that are gone.
  private static let statisticsStatement = Statement(
    "future-marks-statistics",
    """
    UPDATE statistics_progress SET hours_upto = least(
      date_trunc('hour', clock_timestamp()), (SELECT date_trunc('hour', min(at)) FROM statistics_minutes))
    WHERE hours_upto > clock_timestamp() + interval '1 hour'
    """)

  /// Nobody could take up what a node has left. One that lives renews its lease within a second.
  private static let leasesStatement = Statement(
    "future-marks-leases",
    """
    UPDATE nodes SET alive_until = clock_timestamp() + interval '10 seconds'
    WHERE alive_until > clock_timestamp() + interval '1 minute'
    """)

  /// A paced message would stand still. Its pause begins again.
  private static let pacesStatement = Statement(
    "future-marks-paces",
    """
    UPDATE gates SET counted_at = clock_timestamp(), ready_at = clock_timestamp() + (ready_at - counted_at)
    WHERE counted_at > clock_timestamp() + interval '1 minute'
    """)

  private static let canariesStatement = Statement(
    "future-marks-canaries",
    """
    UPDATE gates SET canary_until = clock_timestamp() + make_interval(secs => canary_wait)
    WHERE canary_until > clock_timestamp() + make_interval(secs => canary_wait) + interval '1 minute'
    """)

  /// A device would be told to wait for weeks.
  private static let metersStatement = Statement(
    "future-marks-meters",
    "DELETE FROM device_send_meters WHERE window_began > clock_timestamp() + interval '1 minute'")

  /// Other devices of a user would not be told the count.
  private static let badgesStatement = Statement(
    "future-marks-badges",
    "UPDATE badge_syncs SET due_at = clock_timestamp() WHERE due_at > clock_timestamp() + interval '1 minute'")

  /// An event is tried again after eight hours at the latest.
  private static let eventsStatement = Statement(
    "future-marks-events",
    """
    UPDATE event_deliveries SET due_at = clock_timestamp()
    WHERE state = 0 AND due_at > clock_timestamp() + interval '1 day'
    """)

  /// Brings all of them back. Cheap where nothing waits: what it looks through is what is under way.
  package static var corrections: [Query<Int>] {
    [
      statisticsStatement, leasesStatement, pacesStatement, canariesStatement, metersStatement, badgesStatement,
      eventsStatement,
    ].map { statement in Query(statement, Parameters()) { $0.affected } }
  }

  private static let findStatement = Statement(
    "future-marks-find",
    """
    SELECT string_agg(name, ', ') FROM (
      SELECT 'statistics are made up to ' || to_char(hours_upto AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"')
      FROM statistics_progress WHERE hours_upto > clock_timestamp() + interval '1 hour'
      UNION ALL
      SELECT count(*) || ' leases of nodes' FROM nodes WHERE alive_until > clock_timestamp() + interval '1 minute'
      HAVING count(*) > 0
      UNION ALL
      SELECT count(*) || ' paces of messages' FROM gates WHERE counted_at > clock_timestamp() + interval '1 minute'
      HAVING count(*) > 0) marks(name)
    """)

  /// Names those that there are; nil: none. Changes nothing.
  package static func find() -> Query<String?> {
    Query(findStatement, Parameters()) { $0.optionalText(0, 0) }
  }
}
