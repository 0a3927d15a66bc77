package import Domain
internal import Postgres

/// What languages devices ask for. Which text fits a locale is a rule of the domain: here they are only read.
extension Devices {
  private static let localesStatement = Statement(
    "devices-locales", "SELECT device, locale FROM devices WHERE device = ANY($1::uuid[]) AND locale <> ''")

  /// The locale of each device; those that have told none are missing.
  package static func locales(of devices: some Collection<DeviceID>) -> Query<[DeviceID: String]> {
    Query(localesStatement, ids(devices)) { rows in
      var locales: [DeviceID: String] = [:]
      for row in 0..<rows.count { locales[rows.device(row, 0)] = rows.text(row, 1) }
      return locales
    }
  }

  private static let rangeLocalesStatement = Statement(
    "devices-range-locales",
    "SELECT DISTINCT locale FROM devices WHERE app = $1 AND state = 1 AND user_key > $2 AND user_key <= $3")

  /// The different locales of a range of user keys. Reads the whole range.
  package static func locales(app: App.Number, after: String, upto: String) -> Query<[String]> {
    var parameters = Parameters()
    parameters.append(app)
    parameters.append(text: after)
    parameters.append(text: upto)
    return Query(rangeLocalesStatement, parameters) { rows in rows.map { rows.text($0, 0) } }
  }

  private static let groupLocalesStatement = Statement(
    "devices-group-locales",
    """
    SELECT DISTINCT locale FROM devices WHERE app = $1 AND state = 1
      AND user_key IN (SELECT user_key FROM group_members WHERE app = $1 AND groupseq = ANY($2))
    """)

  /// The different locales of the members of groups.
  package static func locales(app: App.Number, groups: [Int64]) -> Query<[String]> {
    var column = Int64Column()
    for group in groups { column.append(group) }
    var parameters = Parameters()
    parameters.append(app)
    parameters.append(int64s: column)
    return Query(groupLocalesStatement, parameters) { rows in rows.map { rows.text($0, 0) } }
  }

  private static let csvLocalesStatement = Statement(
    "devices-csv-locales",
    """
    SELECT DISTINCT locale FROM devices WHERE app = $1 AND state = 1
      AND user_key IN (SELECT user_key FROM csv_lines WHERE csv = $2)
    """)

  /// The different locales of the users of a file.
  package static func locales(app: App.Number, csv: Int64) -> Query<[String]> {
    var parameters = Parameters()
    parameters.append(app)
    parameters.append(csv)
    return Query(csvLocalesStatement, parameters) { rows in rows.map { rows.text($0, 0) } }
  }
}
