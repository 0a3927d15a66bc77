internal import Domain
package import Postgres
package import Time

/// The removal of personal data from the rows of devices that were unregistered, or whose token their push network has
/// refused, and that were not used for long; and of devices' former tokens and users that ended long ago.
package enum Tombstones {
  /// SQL condition: the device's last registration, binding and call were all more than `$1` days ago.
  private static let isSilent = """
    (registered_at < now() - make_interval(days => $1) AND bound_at < now() - make_interval(days => $1)
      AND coalesce(seen_at, registered_at) < now() - make_interval(days => $1))
    """

  private static let emptyStatement = Statement(
    "tombstones-empty",
    """
    UPDATE devices SET \(PersonErasure.emptied) WHERE device IN (
      SELECT device FROM devices
      WHERE state = \(Devices.State.unregistered.sql) AND device_id <> ''
        AND unregistered_at < now() - make_interval(days => $1) AND \(isSilent)
      ORDER BY unregistered_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    """)

  /// Removes all personal data from the rows of at most `limit` devices that were unregistered more than `days` days
  /// ago and whose last registration, binding and call were all more than `days` days ago too, and returns the number
  /// of these rows. Skips locked rows. The rows themselves stay, because they keep the devices' old keys invalid.
  package static func empty(afterDays days: Int32, atMost limit: Int) -> Query<Int> {
    Query(emptyStatement, days, limit) { $0.affected }
  }

  // MARK: Refused devices

  /// Days for which a refused device is kept at least, however short history is kept: many people open an app only now
  /// and then, and their consents are asked for once.
  private static let leastRefusedDays: Int32 = 90

  private static let refusedStatement = Statement(
    "tombstones-empty-refused",
    """
    WITH refused AS MATERIALIZED (
      SELECT device, app, network, psid, user_key, state, app_version FROM devices
      WHERE state = \(Devices.State.tokenRefused.sql) AND refused_at < now() - make_interval(days => $1)
        AND \(isSilent)
      ORDER BY refused_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    , aside AS MATERIALIZED (
      SELECT device, app, network, psid, user_key, state, app_version FROM devices
      WHERE state = \(Devices.State.active.sql) AND quarantined_at < now() - make_interval(days => $1)
        AND \(isSilent)
      ORDER BY quarantined_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    , gone AS MATERIALIZED (SELECT * FROM refused UNION ALL SELECT * FROM aside)
    , alert AS (
      DELETE FROM psids p USING gone g
      WHERE p.app = g.app AND p.psid = g.psid AND p.network = g.network AND p.kind = \(TokenKind.alert.sql)
        -- Only if it still belongs to the device.
        AND p.device = g.device)
    , further AS (DELETE FROM psids p USING gone g WHERE p.device = g.device AND p.kind > \(TokenKind.alert.sql))
    , changed AS (UPDATE devices SET \(PersonErasure.emptied) WHERE device IN (SELECT device FROM gone))
    SELECT app, network, user_key, state = \(Devices.State.active.sql), app_version FROM gone
    """)

  /// Removes all personal data from the rows of devices whose token their network refused more than `days` days ago
  /// (dropped or in quarantine) and whose last registration, binding and call were all more than `days` days ago too:
  /// most likely, the app has been removed. Fewer than 90 days count as 90. Deletes their tokens and everything stored
  /// about their guests. Counts quarantined devices as having left; dropped ones were counted when they were dropped.
  /// Call it within a transaction.
  /// - Parameter limit: maximum number of devices of either kind. Skips locked rows.
  /// - Returns: the number of devices.
  package static func emptyRefused(
    afterDays days: Int32, atMost limit: Int, at now: Timestamp, on connection: Connection
  ) throws(PostgresError) -> Int {
    let gone = try connection.run(refusedStatement, Parameters(max(days, leastRefusedDays), limit)).decode { row in
      let (app, network) = (row.int32(), row.int16())
      let user = Users.Key(app: app, userKey: row.userKey())
      return (user: user, network: network, wasActive: row.bool(), appVersion: row.text())
    }
    let guests = gone.map(\.user).filter(\.userKey.isGuest)
    if !guests.isEmpty { try connection.run(Users.forgetGuests(guests)) }
    var tally = Statistics.Tally()
    for device in gone where device.wasActive {
      var key = Statistics.Key(app: device.user.app)
      key.network = PushNetwork(rawValue: device.network)
      key.appVersion = device.appVersion
      key.reason = "token-refused"
      tally.countLeft(key)
    }
    if !tally.isEmpty { try connection.run(Statistics.add(tally, writer: Cancellation.Limits.writer, at: now)) }
    return gone.count
  }

  // MARK: Former tokens and users

  private static let tokensStatement = Statement(
    "tombstones-former-tokens",
    """
    DELETE FROM former_psids WHERE (app, psid, device) IN (
      SELECT app, psid, device FROM former_psids WHERE ended_at < $1 ORDER BY ended_at LIMIT $2
      FOR UPDATE SKIP LOCKED)
    """)

  private static let usersStatement = Statement(
    "tombstones-former-users",
    """
    DELETE FROM former_users WHERE (device, user_key) IN (
      SELECT device, user_key FROM former_users
      WHERE ended_at < $1
        -- A user who left a device before the oldest message whose history is kept got no such message on it.
        AND ended_at < coalesce((
          SELECT created_at FROM messages
          WHERE seqno >= (SELECT min(from_seqno) FROM seqno_ranges WHERE closed_at IS NULL) ORDER BY seqno LIMIT 1),
          'infinity')
      ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    """)

  /// Deletes at most `limit` former tokens that ended more than `Store.Limits.formerTokenRetention` and a day ago, so
  /// that they no longer verify receipts, oldest first. Returns the number deleted. Skips locked rows.
  package static func forgetTokens(at now: Timestamp, atMost limit: Int) -> Query<Int> {
    Query(tokensStatement, parameters(now, limit)) { $0.affected }
  }

  /// Deletes at most `limit` former users of devices, oldest first, and returns the number deleted. Keeps former users
  /// for as long as former tokens, and for as long as the history of any message that they may have received on the
  /// device: blocks are ordered by user, so without the former user the message's delivery to the device is not found.
  /// A read would then count for the device's present user, and a resend would go to the device again. Skips locked
  /// rows.
  package static func forgetUsers(at now: Timestamp, atMost limit: Int) -> Query<Int> {
    Query(usersStatement, parameters(now, limit)) { $0.affected }
  }

  private static func parameters(_ now: Timestamp, _ limit: Int) -> Parameters {
    var parameters = Parameters()
    // A day more than the time for which a former token verifies receipts.
    parameters.append(now - Store.Limits.formerTokenRetention - .seconds(86_400))
    parameters.append(limit)
    return parameters
  }
}
