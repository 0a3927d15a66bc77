internal import Domain
internal import Postgres

/// Corrects timestamps that a clock jump has set too far ahead. They are watermarks and leases: nothing would move
/// until that time comes. Whatever no correct clock could have written is reset.
package enum FutureWatermarks {
  /// How far hourly statistics are rolled up. They are rolled up again from the first minute that is still stored; the
  /// hours before it were made of minutes that are gone.
  private static let statisticsStatement = Statement(
    "future-marks-statistics",
    """
    UPDATE statistics_progress SET hours_upto = least(
      date_trunc('hour', clock_timestamp()), (SELECT date_trunc('hour', min(at)) FROM statistics_minutes))
    WHERE hours_upto > clock_timestamp() + interval '1 hour'
    """)

  /// Otherwise no node could take over what a dead node has left. A live node renews its lease within a second.
  private static let leasesStatement = Statement(
    "future-marks-leases",
    """
    UPDATE nodes SET alive_until = clock_timestamp() + interval '10 seconds'
    WHERE alive_until > clock_timestamp() + interval '1 minute'
    """)

  /// Otherwise a paced message would stall. Its pause starts over.
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

  /// Otherwise a device would be refused for weeks.
  private static let metersStatement = Statement(
    "future-marks-meters",
    "DELETE FROM device_send_meters WHERE window_began > clock_timestamp() + interval '1 minute'")

  /// Otherwise a user's other devices would not receive the new count.
  private static let badgesStatement = Statement(
    "future-marks-badges",
    "UPDATE badge_syncs SET due_at = clock_timestamp() WHERE due_at > clock_timestamp() + interval '1 minute'")

  /// An event is retried after eight hours at the latest.
  private static let eventsStatement = Statement(
    "future-marks-events",
    """
    UPDATE event_deliveries SET due_at = clock_timestamp()
    WHERE state = \(MessageState.scheduled.sql) AND due_at > clock_timestamp() + interval '1 day'
    """)

  /// All corrections. They scan only unfinished work, so they are cheap when little is pending.
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

  /// Describes the marks that are in the future; nil when there are none. Changes nothing.
  package static func find() -> Query<String?> {
    Query(findStatement, Parameters()) { $0.optionalText(0, 0) }
  }
}
