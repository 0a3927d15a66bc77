package import Domain
internal import Postgres

/// Apps and the key that identifies each.
package enum Apps {
  package struct Record: Sendable {
    package let app: App
    package let clientKey: String
  }

  private static let columnList =
    "app, app_id, name, time_zone, device_policy, paused_reason, client_key, device_sends, user_proof, badge_sync"

  private static let allStatement = Statement("apps-all", "SELECT \(columnList) FROM apps")

  package static func all() -> Query<[Record]> {
    Query(allStatement, Parameters()) { rows in rows.map { record(rows, $0) } }
  }

  private static let findStatement = Statement("apps-find", "SELECT \(columnList) FROM apps WHERE app_id = $1")

  package static func find(appID: String) -> Query<Record?> {
    var parameters = Parameters()
    parameters.append(text: appID)
    return Query(findStatement, parameters) { $0.count == 1 ? record($0, 0) : nil }
  }

  private static let createStatement = Statement(
    "apps-create",
    "INSERT INTO apps (app_id, name, client_key, time_zone) VALUES ($1, $2, $3, $4) RETURNING \(columnList)")

  /// Fails with `apps_app_id_is_unique` when the app exists.
  package static func create(appID: String, name: String, clientKey: String, timeZone: String) -> Query<Record> {
    var parameters = Parameters()
    parameters.append(text: appID)
    parameters.append(text: name)
    parameters.append(text: clientKey)
    parameters.append(text: timeZone)
    return Query(createStatement, parameters) { record($0, 0) }
  }

  private static let setPoliciesStatement = Statement(
    "apps-set-policies",
    """
    UPDATE apps SET device_policy = coalesce($2, device_policy), badge_sync = coalesce($4, badge_sync),
      -- A sign remembers the number while no proof is asked for, so that it never comes again.
      user_proof = CASE $3::smallint
        WHEN 0 THEN -abs(user_proof) WHEN 1 THEN greatest(abs(user_proof), 1::smallint)
        WHEN 2 THEN (abs(user_proof) + 1)::smallint ELSE user_proof END
    WHERE app = $1 RETURNING \(columnList)
    """)

  package enum UserProofChange: Int16, Sendable {
    case off = 0
    case on = 1
    /// On, with a new secret.
    case renewed = 2
  }

  /// Changes what is given; nil when the app is gone.
  package static func setPolicies(
    _ app: App.Number, device: App.DevicePolicy?, userProof: UserProofChange?, badgeSync: Bool?
  ) -> Query<Record?> {
    var parameters = Parameters()
    parameters.append(app)
    parameters.append(device?.rawValue)
    parameters.append(userProof?.rawValue)
    parameters.append(badgeSync)
    return Query(setPoliciesStatement, parameters) { $0.count == 1 ? record($0, 0) : nil }
  }

  private static let zoneStatement = Statement("apps-zone", "SELECT count(*) FROM pg_timezone_names WHERE name = $1")

  /// How many time zones have this name: 1 or 0.
  package static func countTimeZones(named name: String) -> Query<Int64> {
    var parameters = Parameters()
    parameters.append(text: name)
    return Query(zoneStatement, parameters) { $0.int64(0, 0) }
  }

  private static let deviceSendsStatement = Statement(
    "apps-device-sends", "UPDATE apps SET device_sends = $2 WHERE app = $1")

  /// - Parameter perMinute: messages that one device may send in a minute; 0: none.
  package static func setDeviceSends(_ app: App.Number, _ perMinute: Int16) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(app)
    parameters.append(perMinute)
    return Query(deviceSendsStatement, parameters) { _ in }
  }

  private static func record(_ rows: Rows, _ row: Int) -> Record {
    Record(
      app: App(
        number: rows.int32(row, 0), appID: rows.text(row, 1), name: rows.text(row, 2), timeZone: rows.text(row, 3),
        devicePolicy: App.DevicePolicy(rawValue: rows.int16(row, 4)) ?? .multi,
        pausedReason: rows.optionalText(row, 5), deviceSendsPerMinute: rows.int16(row, 7),
        userProofGeneration: rows.int16(row, 8), syncsBadges: rows.bool(row, 9)),
      clientKey: rows.text(row, 6))
  }
}
