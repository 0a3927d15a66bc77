package import Domain
internal import Postgres
package import Time

/// Counts of receipts and reads by weekday and hour of each app's local time, from the statistics per hour.
package enum ReadTimes {
  /// The counts of one hour of one weekday.
  package struct Row: Equatable, Sendable {
    /// Weekday from 1 (Monday) to 7 (Sunday).
    package let weekday: Int
    /// Hour from 0 to 23. In a time zone with a half-hour offset, a UTC hour counts for the local hour in which it
    /// begins.
    package let hour: Int
    package let received: Int64
    package let read: Int64
  }

  private static let statement = Statement(
    "statistics-read-times",
    """
    SELECT extract(isodow FROM s.at AT TIME ZONE a.time_zone)::integer,
      extract(hour FROM s.at AT TIME ZONE a.time_zone)::integer,
      sum(s.received)::bigint, sum(s.read)::bigint
    FROM (\(StatisticsReports.parts(.hour))) s JOIN \(StatisticsReports.apps) ON a.app = s.app
    WHERE s.received <> 0 OR s.read <> 0
    GROUP BY 1, 2 ORDER BY 1, 2
    """)

  /// Returns the counts of all the apps together in [from, to), by weekday and hour in ascending order: at most 168
  /// rows. Hours without counts are omitted. `from` is rounded down to the hour, and an hour that is already rolled up
  /// counts in full if it begins before `to`. The data reach back 400 days.
  package static func rows(of apps: [App.Number], from: Timestamp, to: Timestamp) -> Query<[Row]> {
    var column = Int32Column()
    for app in apps { column.append(app) }
    return Query(each: statement, column, from, to) { row in
      Row(
        weekday: Int(row.int32()), hour: Int(row.int32()), received: row.int64(),
        read: row.int64())
    }
  }
}
