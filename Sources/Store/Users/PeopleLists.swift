package import Domain
internal import Postgres
package import Time

/// Queries for operators' lists and searches of users and devices: by CUID or prefix, name, token or id. Each uses an
/// index.
package enum PeopleLists {
  // MARK: Users

  package struct User: Sendable {
    package let userKey: UserKey
    package let name: String
    package let badge: Int16
    /// Number of active devices.
    package let devices: Int64

    package init(userKey: UserKey, name: String, badge: Int16, devices: Int64) {
      self.userKey = userKey
      self.name = name
      self.badge = badge
      self.devices = devices
    }
  }

  private static let usersStatement = Statement(
    "people-lists-users",
    """
    SELECT u.user_key, u.name, u.badge, (
      SELECT count(*) FROM devices d WHERE d.app = u.app AND d.user_key = u.user_key
        AND d.state = \(Devices.State.active.sql))
    FROM users u
    -- Keys sort by their bytes, so what begins alike stands together.
    WHERE u.app = $1 AND u.user_key > $2 AND u.user_key >= $3 AND u.user_key < $4 ORDER BY u.user_key LIMIT $5
    """)

  /// Returns at most `limit` users with keys in [from, upto), in ascending order of key, starting after `key`.
  package static func users(
    of app: App.Number, after key: String, from: String, upto: String, limit: Int
  ) -> Query<[User]> {
    var parameters = Parameters()
    parameters.append(app)
    for text in [key, from, upto] { parameters.append(text) }
    parameters.append(limit)
    return Query(usersStatement, parameters, read: users)
  }

  private static let namedStatement = Statement(
    "people-lists-named",
    """
    SELECT u.user_key, u.name, u.badge, (
      SELECT count(*) FROM devices d WHERE d.app = u.app AND d.user_key = u.user_key
        AND d.state = \(Devices.State.active.sql))
    FROM users u
    WHERE u.app = $1 AND u.name <> '' AND (u.name COLLATE "C", u.user_key) > ($2, $3)
      AND u.name COLLATE "C" >= $4 AND u.name COLLATE "C" < $5
    ORDER BY u.name COLLATE "C", u.user_key LIMIT $6
    """)

  /// Returns at most `limit` users with names in [from, upto), in ascending order of name and key, starting after
  /// `after`. Omits users without a name.
  package static func users(
    of app: App.Number, after: (name: String, key: String), named from: String, upto: String, limit: Int
  ) -> Query<[User]> {
    var parameters = Parameters()
    parameters.append(app)
    for text in [after.name, after.key, from, upto] { parameters.append(text) }
    parameters.append(limit)
    return Query(namedStatement, parameters, read: users)
  }

  private static func users(_ rows: Rows) -> [User] {
    rows.decode { row in
      User(
        userKey: row.userKey(), name: row.text(), badge: row.int16(),
        devices: row.int64())
    }
  }

  // MARK: Devices

  package struct Device: Sendable {
    package let record: Devices.Record
    package let userName: String
    package let badge: Int16
    package let quarantinedAt: Timestamp?
    package let quarantineReason: String?
    package let quarantineSeqno: Seqno?
  }

  /// The columns of `Devices.columnList`, from which a `Devices.Record` is decoded, followed by the other five of a
  /// `Device`.
  private static let columnList = """
    d.device, d.app, d.user_key, d.network, d.environment, d.state, d.auth_epoch, d.psid, d.device_id, d.platform,
      d.model,
    d.os_version, d.app_version, d.locale, d.time_zone, d.consent_notification, d.consent_ad, d.consent_night_ad,
    d.bound_at, d.registered_at, d.created_at, d.consent_notification_at, d.consent_ad_at, d.consent_night_ad_at,
    d.seen_at, d.identity, d.pending_user, d.pending_at,
    coalesce(u.name, ''), coalesce(u.badge, 0::smallint), d.quarantined_at, d.quarantine_reason, d.quarantine_seqno
    """

  private static let devicesStatement = Statement(
    "people-lists-devices",
    """
    SELECT \(columnList) FROM (
      SELECT * FROM devices
      -- One lower bound: beside another, the index is read from whichever is written first, however far down that is.
      WHERE app = $1 AND state = \(Devices.State.active.sql) AND (user_key, device) > ($2, $3) AND user_key < $4
      ORDER BY user_key, device LIMIT $5) d
    -- One by one: the limit keeps planners, who expect many devices, from reading all users for them.
    LEFT JOIN LATERAL (
      SELECT name, badge FROM users WHERE users.app = d.app AND users.user_key = d.user_key LIMIT 1) u ON true
    ORDER BY d.user_key, d.device
    """)

  /// Returns at most `limit` active devices of users with keys in [from, upto), in ascending order of user key and
  /// device, starting after `after`.
  package static func devices(
    of app: App.Number, after: (key: String, device: DeviceID), from: String, upto: String, limit: Int
  ) -> Query<[Device]> {
    let isBefore = after.key < from
    return Query(
      devicesStatement, app, isBefore ? from : after.key, isBefore ? DeviceID(high: 0, low: 0) : after.device, upto,
      limit, read: devices)
  }

  private static let byTokenStatement = Statement(
    "people-lists-by-token",
    """
    SELECT \(columnList) FROM (
      SELECT DISTINCT app, device FROM psids WHERE app = $1 AND psid >= $2 AND psid < $3 LIMIT $4) p
    JOIN devices d ON d.device = p.device LEFT JOIN users u ON u.app = d.app AND u.user_key = d.user_key
    ORDER BY d.device
    """)

  /// Returns at most `limit` devices of an app, in any state, that own a token of any kind with a value in [tokensFrom,
  /// upto), in order of id. If there are more, any `limit` of them.
  package static func devices(of app: App.Number, tokensFrom: String, upto: String, limit: Int) -> Query<[Device]> {
    Query(byTokenStatement, app, tokensFrom, upto, limit, read: devices)
  }

  private static let findStatement = Statement(
    "people-lists-find",
    """
    SELECT \(columnList) FROM devices d LEFT JOIN users u ON u.app = d.app AND u.user_key = d.user_key
    WHERE d.device = $1
    """)

  /// Returns the device with this id, in any state; nil if it does not exist.
  package static func find(_ device: DeviceID) -> Query<Device?> {
    Query(findStatement, device) { devices($0).first }
  }

  private static func devices(_ rows: Rows) -> [Device] {
    rows.decode { row in
      Device(
        record: Devices.Record(&row), userName: row.text(), badge: row.int16(),
        quarantinedAt: row.optionalTimestamp(), quarantineReason: row.optionalText(),
        quarantineSeqno: row.optionalSeqno())
    }
  }
}
