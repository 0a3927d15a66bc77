package import Domain
internal import Postgres

/// Settings of apps that operators change, and what is shown of their credentials.
package enum AppSettings {
  package struct Settings: Equatable, Sendable {
    package var name: String
    package var timeZone: String
    package var devicePolicy: App.DevicePolicy
    /// Messages that one device may send in a minute.
    package var deviceSends: Int16
  }

  private static let lockStatement = Statement(
    "app-settings-lock",
    "SELECT name, time_zone, device_policy, device_sends FROM apps WHERE app = $1 FOR NO KEY UPDATE")
  private static let findStatement = Statement(
    "app-settings-find", "SELECT name, time_zone, device_policy, device_sends FROM apps WHERE app = $1")

  /// Within a transaction: nobody else changes them until it ends.
  package static func lock(_ app: App.Number) -> Query<Settings?> { query(lockStatement, app) }
  package static func find(_ app: App.Number) -> Query<Settings?> { query(findStatement, app) }

  private static func query(_ statement: Statement, _ app: App.Number) -> Query<Settings?> {
    var parameters = Parameters()
    parameters.append(app)
    return Query(statement, parameters) { rows in
      guard rows.count == 1 else { return nil }
      return Settings(
        name: rows.text(0, 0), timeZone: rows.text(0, 1),
        devicePolicy: App.DevicePolicy(rawValue: rows.int16(0, 2)) ?? .multi,
        deviceSends: rows.int16(0, 3))
    }
  }

  private static let saveStatement = Statement(
    "app-settings-save",
    "UPDATE apps SET name = $2, time_zone = $3, device_policy = $4, device_sends = $5 WHERE app = $1")

  package static func save(_ settings: Settings, of app: App.Number) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(app)
    parameters.append(text: settings.name)
    parameters.append(text: settings.timeZone)
    parameters.append(settings.devicePolicy.rawValue)
    parameters.append(settings.deviceSends)
    return Query(saveStatement, parameters) { _ in }
  }

  // MARK: Credentials, without their secrets

  package struct Credential: Sendable {
    package let app: App.Number
    package let appID: String
    package let network: PushNetwork
    package let kind: String
    /// A JSON object: key id and team id, or topics and end.
    package let shown: String
    package let updatedAt: Int64
  }

  private static let credentialsStatement = Statement(
    "app-settings-credentials",
    """
    SELECT c.app, a.app_id, c.network, c.kind, c.public_part::text, c.updated_at
    FROM credentials c JOIN apps a ON a.app = c.app
    WHERE ($1 IS NULL OR c.app = $1) AND (c.app, c.network) > ($2, $3) ORDER BY c.app, c.network LIMIT $4
    """)

  /// After one, of an app or of all.
  package static func credentials(
    of app: App.Number?, after: (app: App.Number, network: Int16), limit: Int
  ) -> Query<[Credential]> {
    var parameters = Parameters()
    parameters.append(app)
    parameters.append(after.app)
    parameters.append(after.network)
    parameters.append(limit)
    return Query(credentialsStatement, parameters) { rows in
      rows.map { row in
        Credential(
          app: rows.int32(row, 0), appID: rows.text(row, 1),
          network: PushNetwork(rawValue: rows.int16(row, 2)) ?? .apns,
          kind: rows.text(row, 3), shown: rows.text(row, 4), updatedAt: rows.timestampMicroseconds(row, 5))
      }
    }
  }

  private static let deleteCredentialStatement = Statement(
    "app-settings-delete-credential",
    "DELETE FROM credentials WHERE app = $1 AND network = $2 RETURNING kind, public_part::text")

  /// Answers what was shown of it; nil when there was none.
  package static func deleteCredential(
    of app: App.Number, _ network: PushNetwork
  ) -> Query<(kind: String, shown: String)?> {
    var parameters = Parameters()
    parameters.append(app)
    parameters.append(network.rawValue)
    return Query(deleteCredentialStatement, parameters) { $0.count == 1 ? ($0.text(0, 0), $0.text(0, 1)) : nil }
  }
}
