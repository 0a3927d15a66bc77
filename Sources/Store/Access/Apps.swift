package import Domain
internal import Postgres
package import Time

/// Apps, and the client keys that identify them.
package enum Apps {
  package struct Record: Sendable {
    package let app: App
    package let clientKey: String
    /// The previous client key; nil if there is none, or if it has expired or was ended.
    package let former: FormerKey?
  }

  /// A client key that was replaced by another one, but is still valid.
  package struct FormerKey: Sendable {
    package let clientKey: String
    /// When the key expires; nil if it is valid until an operator ends it.
    package let endsAt: Timestamp?
  }

  private static let columnList = """
    app, app_id, name, time_zone, device_policy, paused_reason, client_key, device_sends, badge_sync,
    approval_above, identity, observed_identity, grace_ends_at, keeps_user_on_refresh, confidential_to_proved,
    tells_devices, user_proof, confidential_lanes, confidential_sdk, extension, android::text,
    CASE WHEN coalesce(former_client_key_ends_at > now(), true) THEN former_client_key END, former_client_key_ends_at,
    deleting_since, purge_after, (SELECT p.removed FROM app_purges p WHERE p.app = apps.app)
    """

  private static let allStatement = Statement("apps-all", "SELECT \(columnList) FROM apps")

  package static func all() -> Query<[Record]> {
    Query(each: allStatement, read: record)
  }

  private static let findStatement = Statement("apps-find", "SELECT \(columnList) FROM apps WHERE app_id = $1")

  package static func find(appID: String) -> Query<Record?> {
    Query(first: findStatement, appID, read: record)
  }

  private static let createStatement = Statement(
    "apps-create",
    """
    INSERT INTO apps (app_id, name, client_key, time_zone, identity, confidential_lanes)
    VALUES ($1, $2, $3, $4, $5, $6) RETURNING \(columnList)
    """
  )

  /// Creates an app and returns it as stored. Fails with `apps_app_id_is_unique` if the id is taken, with
  /// `app_purges_app_id_is_unique` if a deleted app had this id, and with `apps_client_key_is_unique` if another app
  /// has this client key.
  package static func create(
    appID: String, name: String, clientKey: String, timeZone: String, identity: App.Identity,
    confidentiality: App.Confidentiality = App.Confidentiality()
  ) -> Query<Record> {
    Query(one: createStatement, appID, name, clientKey, timeZone, identity.rawValue, confidentiality.bits, read: record)
  }

  private static let lockStatement = Statement(
    "apps-lock", "SELECT \(columnList) FROM apps WHERE app = $1 FOR NO KEY UPDATE")

  /// Locks the app's row until the transaction ends, and returns the app; nil if it does not exist.
  package static func lock(_ app: App.Number) -> Query<App?> {
    Query(first: lockStatement, app) { record(&$0).app }
  }

  private static let saveStatement = Statement(
    "apps-save",
    """
    UPDATE apps SET name = $2, time_zone = $3, device_policy = $4, device_sends = $5, badge_sync = $6,
      approval_above = $7, identity = $8, observed_identity = $9, grace_ends_at = $10, keeps_user_on_refresh = $11,
      confidential_to_proved = $12, tells_devices = $13, user_proof = $14, confidential_lanes = $15,
      confidential_sdk = $16, extension = $17, android = $18
    WHERE app = $1
    """)

  /// Saves an app's settings. Its pause, deletion, client keys, advertising rules and test groups are not among them.
  /// The caller must have locked the app's row (`lock`), so that concurrent changes are not lost.
  package static func save(_ app: App) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(app.number)
    parameters.append(app.name)
    parameters.append(app.timeZone)
    parameters.append(app.devicePolicy.rawValue)
    parameters.append(app.deviceSendsPerMinute)
    parameters.append(app.syncsBadges)
    parameters.append(app.approvalAbove)
    let rules = app.identityRules
    parameters.append(rules.identity.rawValue)
    parameters.append(rules.observed?.rawValue)
    parameters.append(rules.graceEndsAt)
    parameters.append(rules.keepsUserOnRefresh)
    parameters.append(rules.keepsConfidentialToProved)
    parameters.append(rules.tellsDevices)
    parameters.append(rules.proofGeneration)
    parameters.append(app.confidentiality.bits)
    parameters.append(app.confidentiality.coversSDK)
    parameters.append(app.hasExtension)
    parameters.append(JSONValue(app.android.json))
    return Query(saveStatement, parameters) { _ in }
  }

  private static let replaceKeyStatement = Statement(
    "apps-replace-client-key",
    """
    UPDATE apps SET former_client_key = client_key, client_key = $2,
      former_client_key_ends_at = CASE WHEN $3::integer IS NOT NULL THEN now() + make_interval(secs => $3::integer) END
    WHERE app = $1
      AND (former_client_key IS NULL OR coalesce(former_client_key_ends_at <= now(), false))
    RETURNING \(columnList)
    """)

  /// Replaces an app's client key. The replaced key continues to identify the app for `seconds`. Fails with
  /// `apps_client_key_is_unique` if another app has the new key.
  /// - Parameter seconds: how long the replaced key remains valid, in seconds; nil: until an operator ends it.
  /// - Returns: the changed app; nil, without an effect, if the app does not exist or has an earlier former key that is
  ///   still valid.
  package static func replaceClientKey(
    _ app: App.Number, with clientKey: String, keeping seconds: Int32?
  ) -> Query<Record?> {
    Query(first: replaceKeyStatement, app, clientKey, seconds, read: record)
  }

  private static let endKeyStatement = Statement(
    "apps-end-client-key",
    """
    UPDATE apps SET former_client_key = NULL, former_client_key_ends_at = NULL WHERE app = $1
      AND former_client_key IS NOT NULL AND coalesce(former_client_key_ends_at > now(), true)
    RETURNING \(columnList)
    """)

  /// Ends the validity of an app's former client key. Returns the changed app; nil if the app does not exist or has no
  /// former key that is still valid.
  package static func endFormerClientKey(_ app: App.Number) -> Query<Record?> {
    Query(first: endKeyStatement, app, read: record)
  }

  private static let zoneStatement = Statement(
    "apps-zone",
    """
    SELECT CASE WHEN zone_or($1, '') <> '' THEN 1
      ELSE (SELECT count(*) FROM pg_timezone_names WHERE name = $1) END
    """)

  /// Returns 1 if the database knows a time zone with exactly this name, otherwise 0. Reads PostgreSQL's time zone
  /// files, about a thousand, only for a name that the table `time_zones` lacks.
  package static func countTimeZones(named name: String) -> Query<Int64> {
    Query(one: zoneStatement, name) { $0.int64() }
  }

  private static func record(_ row: inout RowReader) -> Record {
    let (number, appID, name, timeZone) = (row.int32(), row.text(), row.text(), row.text())
    let devicePolicy = App.DevicePolicy(rawValue: row.int16()) ?? .multi
    let (pausedReason, clientKey) = (row.optionalText(), row.text())
    let (sendsPerMinute, syncsBadges, approvalAbove) = (row.int16(), row.bool(), row.optionalInt64())
    let rules = rules(&row)
    let confidentiality = App.Confidentiality(bits: row.int16(), coversSDK: row.bool())
    var app = App(
      number: number, appID: appID, name: name, timeZone: timeZone, devicePolicy: devicePolicy,
      pausedReason: pausedReason, deviceSendsPerMinute: sendsPerMinute, syncsBadges: syncsBadges,
      approvalAbove: approvalAbove, hasExtension: row.bool(), identityRules: rules)
    app.confidentiality = confidentiality
    app.android = AndroidContent(stored: row.bytes())
    let (formerKey, formerEndsAt) = (row.optionalText(), row.optionalTimestamp())
    let (askedAt, purgeAfter) = (row.optionalTimestamp(), row.optionalTimestamp())
    let removedRows = row.optionalInt64()
    if let askedAt, let purgeAfter {
      app.deletion = App.Deletion(askedAt: askedAt, purgeAfter: purgeAfter, removedRows: removedRows)
    }
    return Record(
      app: app, clientKey: clientKey, former: formerKey.map { FormerKey(clientKey: $0, endsAt: formerEndsAt) })
  }

  private static func rules(_ row: inout RowReader) -> App.IdentityRules {
    // A mode that only a newer release knows is treated as the strictest one known here.
    var rules = App.IdentityRules(App.Identity(rawValue: row.int16()) ?? .strict)
    rules.observed = row.optionalInt16().flatMap(App.Identity.init)
    rules.graceEndsAt = row.optionalTimestamp()
    rules.keepsUserOnRefresh = row.bool()
    rules.keepsConfidentialToProved = row.bool()
    rules.tellsDevices = row.bool()
    rules.proofGeneration = row.int16()
    return rules
  }
}
