internal import Domain
internal import Postgres

/// The correction of timestamps that are in the future after a clock jump. Work that waits for such a timestamp would
/// stop until then. Only values that a correct clock could not have written are reset.
package enum FutureWatermarks {
  /// Resets the mark up to which hourly statistics are rolled up: to the hour of the first minute that is still stored,
  /// or to the current hour if that is earlier or no minute is stored. Hours before the first minute cannot be rolled
  /// up again, because their minutes have been deleted.
  private static let statisticsStatement = Statement(
    "future-marks-statistics",
    """
    UPDATE statistics_progress SET hours_upto = least(
      date_trunc('hour', clock_timestamp()), (SELECT date_trunc('hour', min(at)) FROM statistics_minutes))
    WHERE hours_upto > clock_timestamp() + interval '1 hour'
    """)

  /// Resets node leases that end over a minute from now to ten seconds from now, because otherwise no node could take
  /// over the work of a dead one. A live node renews its lease before that.
  private static let leasesStatement = Statement(
    "future-marks-leases",
    """
    UPDATE nodes SET alive_until = clock_timestamp() + interval '10 seconds'
    WHERE alive_until > clock_timestamp() + interval '1 minute'
    """)

  /// Resets paces that were last counted in the future, because otherwise their messages would not continue until then.
  /// A current pause starts again.
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

  /// Deletes the send meters of devices that began in the future, because otherwise a device would be refused until
  /// then.
  private static let metersStatement = Statement(
    "future-marks-meters",
    "DELETE FROM device_send_meters WHERE window_began > clock_timestamp() + interval '1 minute'")

  /// Makes badge syncs due whose due time is more than an hour away, because otherwise a user's other devices would not
  /// be sent the new count until then. The longest regular delay is five minutes, while the app is paused.
  private static let badgesStatement = Statement(
    "future-marks-badges",
    "UPDATE badge_syncs SET due_at = clock_timestamp() WHERE due_at > clock_timestamp() + interval '1 hour'")

  /// Makes events due whose next attempt is more than a day away. The longest regular delay is eight hours.
  private static let eventsStatement = Statement(
    "future-marks-events",
    """
    UPDATE event_deliveries SET due_at = clock_timestamp()
    WHERE state = \(Events.State.waiting.sql) AND due_at > clock_timestamp() + interval '1 day'
    """)

  /// All corrections; each returns the number of rows that it has changed. They read only unfinished work, so they are
  /// cheap when little is pending.
  package static var corrections: [Query<Int>] {
    [
      statisticsStatement, leasesStatement, pacesStatement, canariesStatement, metersStatement, badgesStatement,
      eventsStatement, outcomesStatement, waitsStatement,
    ].map { statement in Query(statement) { $0.affected } }
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

  /// Returns a description of the timestamps of statistics, node leases and paces that are in the future; nil if there
  /// are none. Ignores the other timestamps that `corrections` resets. Changes nothing.
  package static func find() -> Query<String?> {
    Query(one: findStatement) { $0.optionalText() }
  }
}
