package import Domain
internal import Postgres

/// Devices imported from another push server's file.
///
/// Such a device has never registered here (its `registered_at` is 1970-01-01), and none of its times is later than its
/// import (`created_at`): a later time means that the device has called since.
///
/// The look-ups of an import are not kept as prepared statements, so PostgreSQL plans them anew each time: the tables
/// grow from empty to large during the import.
package enum InstalledDevices {
  private static let findStatement = Statement(
    "installed-devices-find",
    """
    SELECT d.* FROM unnest($1::uuid[], $2::uuid[]) AS t(first, last)
    CROSS JOIN LATERAL (SELECT \(Devices.columnList) FROM devices WHERE device BETWEEN t.first AND t.last) d
    """, isKept: false)

  /// Returns all rows of the given DEVICE_IDs, without locks.
  /// - Parameter devices: the first row of each DEVICE_ID.
  package static func find(_ devices: some Collection<DeviceID>) -> Query<[Devices.Record]> {
    var (first, last) = (UUIDColumn(), UUIDColumn())
    for device in devices {
      first.append(device)
      last.append(device.rows.max() ?? device)
    }
    return Query(each: findStatement, first, last) { Devices.Record(&$0) }
  }

  private static let ofUsersStatement = Statement(
    "installed-devices-of-users",
    """
    SELECT \(Devices.columnList) FROM devices WHERE app = $1 AND user_key = ANY($2)
      AND state = \(Devices.State.active.sql)
    """, isKept: false)

  /// Returns the active devices of users in an app, without locks.
  package static func ofUsers(_ users: some Collection<UserKey>, of app: App.Number) -> Query<[Devices.Record]> {
    Query(ofUsersStatement, Self.users(users, app)) { $0.decode { Devices.Record(&$0) } }
  }

  private static let knownStatement = Statement(
    "installed-devices-known-users",
    "SELECT user_key, name <> '', phone IS NOT NULL FROM users WHERE app = $1 AND user_key = ANY($2)", isKept: false)

  /// Returns, for each user, whether a name and whether a phone number is known. Users without a row are omitted.
  package static func known(
    _ users: some Collection<UserKey>, of app: App.Number
  ) -> Query<[UserKey: (name: Bool, phone: Bool)]> {
    Query(knownStatement, Self.users(users, app)) { rows in
      Dictionary(
        rows.decode { row in
          (row.userKey(), (row.bool(), row.bool()))
        }
      ) { one, _ in one }
    }
  }

  private static func users(_ users: some Collection<UserKey>, _ app: App.Number) -> Parameters {
    var keys = TextColumn()
    for user in users { keys.append(user.text) }
    return Parameters(app, keys)
  }

  private static let saveStatement = Statement(
    "installed-devices-save",
    """
    INSERT INTO devices (\(Devices.columnList), is_imported)
    SELECT t.*, true FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
      $22, $23, $24, $25, $26, $27, $28) AS t(\(Devices.columnList))
    ORDER BY device
    ON CONFLICT (device) DO UPDATE SET
      user_key = excluded.user_key, state = excluded.state, unregistered_at = \(Devices.unregisteredAt),
      environment = CASE WHEN devices.environment_is_learned AND devices.psid = excluded.psid
        THEN devices.environment ELSE excluded.environment END,
      environment_is_learned = devices.environment_is_learned AND devices.psid = excluded.psid,
      -- What a network refused was the former token.
      quarantined_at = CASE WHEN devices.psid = excluded.psid THEN devices.quarantined_at END,
      quarantine_reason = CASE WHEN devices.psid = excluded.psid THEN devices.quarantine_reason END,
      quarantine_seqno = CASE WHEN devices.psid = excluded.psid THEN devices.quarantine_seqno END,
      psid = excluded.psid, platform = excluded.platform, model = excluded.model, os_version = excluded.os_version,
      app_version = excluded.app_version, locale = excluded.locale, time_zone = excluded.time_zone,
      consent_notification = excluded.consent_notification, consent_ad = excluded.consent_ad,
      consent_night_ad = excluded.consent_night_ad, bound_at = excluded.bound_at,
      consent_notification_at = excluded.consent_notification_at, consent_ad_at = excluded.consent_ad_at,
      consent_night_ad_at = excluded.consent_night_ad_at, created_at = excluded.created_at, identity = excluded.identity
    -- A device that has registered meanwhile knows better.
    WHERE devices.registered_at = 'epoch'::timestamptz
    RETURNING device
    """)

  /// Inserts rows, or updates those of devices that have never registered here. An update keeps app, network and
  /// DEVICE_ID, the epoch of the keys, the times of registration and of the last call, a pending user and the tags. As
  /// long as the token is the same, it also keeps a quarantine and an environment that the push network has reported.
  /// - Returns: the devices that were written, that is, all except those that have registered meanwhile.
  package static func save(_ records: [Devices.Record]) -> Query<Set<DeviceID>> {
    Query(saveStatement, Devices.columns(records)) { rows in Set(rows.decode { $0.device() }) }
  }
}
