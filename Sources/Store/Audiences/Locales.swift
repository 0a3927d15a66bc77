package import Domain
internal import Postgres

/// Reads the locales that devices report. The domain decides which text fits a locale.
extension Devices {
  private static let localesStatement = Statement(
    "devices-locales", "SELECT device, locale FROM devices WHERE device = ANY($1::uuid[]) AND locale <> ''")

  /// Returns the locale of each device, active or not; devices that have not reported one are omitted.
  package static func locales(of devices: some Collection<DeviceID>) -> Query<[DeviceID: String]> {
    Query(localesStatement, ids(devices)) {
      $0.dictionary { row in
        (row.device(), row.text())
      }
    }
  }

  private static let userLocalesStatement = Statement(
    "devices-user-locales",
    """
    SELECT DISTINCT ON (d.app, d.user_key) d.app, d.user_key, d.locale
    FROM unnest($1, $2) AS t(app, user_key) JOIN devices d ON d.app = t.app AND d.user_key = t.user_key
    WHERE d.state = \(Devices.State.active.sql) AND d.locale <> ''
    ORDER BY d.app, d.user_key, d.registered_at DESC, d.device
    """)

  /// Returns the locale of each user: that of the most recently registered active device that has reported one. Users
  /// without such a device are omitted.
  package static func locales(ofUsers users: some Collection<Users.Key>) -> Query<[Users.Key: String]> {
    Query(userLocalesStatement, Users.keys(users)) {
      $0.dictionary { row in
        (Users.Key(app: row.int32(), userKey: row.userKey()), row.text())
      }
    }
  }

  private static let rangeLocalesStatement = Statement(
    "devices-range-locales",
    """
    SELECT DISTINCT locale FROM devices WHERE app = $1 AND state = \(Devices.State.active.sql)
      AND user_key > $2 AND user_key <= $3
    """)

  /// Returns the distinct locales of the active devices with user keys in (`after`, `upto`], in no particular order; an
  /// empty one for devices that have not reported a locale. Reads the whole range.
  package static func locales(app: App.Number, after: String, upto: String) -> Query<[String]> {
    Query(each: rangeLocalesStatement, app, after, upto) { $0.text() }
  }

  private static let groupLocalesStatement = Statement(
    "devices-group-locales",
    """
    SELECT DISTINCT locale FROM devices WHERE app = $1 AND state = \(Devices.State.active.sql)
      AND user_key IN (SELECT user_key FROM group_members WHERE app = $1 AND groupseq = ANY($2))
    """)

  /// Returns the distinct locales of the active devices of the groups' members, in no particular order; an empty one
  /// for devices that have not reported a locale. Members of subgroups are not included.
  package static func locales(app: App.Number, groups: [Int64]) -> Query<[String]> {
    var column = Int64Column()
    for group in groups { column.append(group) }
    return Query(each: groupLocalesStatement, app, column) { $0.text() }
  }

  private static let csvLocalesStatement = Statement(
    "devices-csv-locales",
    """
    SELECT DISTINCT locale FROM devices WHERE app = $1 AND state = \(Devices.State.active.sql)
      AND user_key IN (SELECT user_key FROM csv_lines WHERE csv = $2)
    """)

  /// Returns the distinct locales of the active devices of the users in a file, in no particular order; an empty one
  /// for devices that have not reported a locale.
  package static func locales(app: App.Number, csv: Int64) -> Query<[String]> {
    Query(each: csvLocalesStatement, app, csv) { $0.text() }
  }
}
