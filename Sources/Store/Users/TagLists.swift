package import Domain
internal import Postgres

/// Tags of users and devices.
package enum TagLists {
  private static let ofUsersStatement = Statement(
    "tags-change-users",
    """
    INSERT INTO users (app, user_key, tags)
    SELECT $1, user_key, $3::text[] FROM unnest($2) AS t(user_key) ORDER BY user_key COLLATE "C"
    ON CONFLICT (app, user_key) DO UPDATE SET tags = ARRAY(
      SELECT tag FROM unnest(CASE WHEN $5 THEN '{}' ELSE users.tags END || $3::text[]) AS kept(tag)
      WHERE tag <> ALL($4::text[]) GROUP BY tag ORDER BY tag COLLATE "C")
    RETURNING user_key
    """)

  /// Adds and removes tags of users, creating missing users, and returns the keys of all of the users. Adding a tag
  /// that a user has, or removing a tag that the user lacks, changes nothing. Fails with a violation of
  /// `users_tags_are_few` if a user would have more than 100 tags.
  /// - Parameters:
  ///   - users: must be distinct.
  ///   - remove: must name no tag of `add`.
  ///   - replacing: whether to remove all existing tags before adding.
  package static func changeUsers(
    app: App.Number, _ users: [UserKey], add: [String], remove: [String], replacing: Bool
  ) -> Query<[UserKey]> {
    var keys = TextColumn()
    for user in users { keys.append(user.text) }
    var parameters = Parameters()
    parameters.append(app)
    parameters.append(keys)
    append(add, remove, replacing, to: &parameters)
    return Query(ofUsersStatement, parameters) { $0.decode { $0.userKey() } }
  }

  private static let ofDevicesStatement = Statement(
    "tags-change-devices",
    """
    INSERT INTO devices (\(Devices.columnList))
    SELECT d.* FROM (SELECT unnest($2::uuid[]) AS device) u
    CROSS JOIN LATERAL (
      SELECT \(Devices.columnList) FROM devices WHERE devices.device = u.device AND devices.app = $1
        AND devices.state <> \(Devices.State.unregistered.sql)) d
    ORDER BY device
    ON CONFLICT (device) DO UPDATE SET tags = ARRAY(
      SELECT tag FROM unnest(CASE WHEN $5 THEN '{}' ELSE devices.tags END || $3::text[]) AS kept(tag)
      WHERE tag <> ALL($4::text[]) GROUP BY tag ORDER BY tag COLLATE "C")
    RETURNING device
    """)

  /// Adds and removes tags of an app's devices, and returns the devices changed. Devices that are unknown in the app or
  /// unregistered are ignored, so they are missing from the result. Fails with a violation of `devices_tags_are_few` if
  /// a device would have more than 100 tags. The parameters are as in `changeUsers`.
  package static func changeDevices(
    app: App.Number, _ devices: [DeviceID], add: [String], remove: [String], replacing: Bool
  ) -> Query<[DeviceID]> {
    var column = UUIDColumn()
    for device in devices { column.append(device) }
    var parameters = Parameters()
    parameters.append(app)
    parameters.append(column)
    append(add, remove, replacing, to: &parameters)
    return Query(ofDevicesStatement, parameters) { $0.decode { $0.device() } }
  }

  private static func append(_ add: [String], _ remove: [String], _ replacing: Bool, to parameters: inout Parameters) {
    var (added, removed) = (TextColumn(), TextColumn())
    for tag in Set(add).sorted() { added.append(tag) }
    for tag in remove { removed.append(tag) }
    parameters.append(added)
    parameters.append(removed)
    parameters.append(replacing)
  }

  private static let inUseStatement = Statement(
    "tags-in-use",
    """
    SELECT tag FROM (
      SELECT unnest(tags) AS tag FROM devices WHERE app = $1 AND state <> \(Devices.State.unregistered.sql)
      UNION SELECT unnest(tags) FROM users WHERE app = $1) used
    ORDER BY tag COLLATE "C" LIMIT $2
    """)

  /// Returns at most `limit` tags that users or registered devices of an app have, in ascending order. Reads all of the
  /// app's users and devices.
  package static func inUse(app: App.Number, limit: Int) -> Query<[String]> {
    Query(each: inUseStatement, app, limit) { $0.text() }
  }

  private static let findUserStatement = Statement(
    "tags-of-user", "SELECT unnest(tags) FROM users WHERE app = $1 AND user_key = $2")

  package static func of(_ user: Users.Key) -> Query<[String]> {
    Query(each: findUserStatement, user.app, user.userKey.text) { $0.text() }
  }

  private static let findDeviceStatement = Statement(
    "tags-of-device", "SELECT unnest(tags) FROM devices WHERE device = $1")

  package static func of(_ device: DeviceID) -> Query<[String]> {
    Query(each: findDeviceStatement, device) { $0.text() }
  }
}
