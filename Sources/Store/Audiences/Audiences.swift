package import Domain
internal import Postgres
package import Time

/// Resolves audiences: counts them, and reads them in key order.
package enum Audiences {
  /// An active device with its current user and alert token, as a possible recipient of a message.
  package struct Member: Sendable {
    package let device: DeviceID
    package let userKey: UserKey
    package let psid: String
    package let network: PushNetwork
    package let environment: PushEnvironment
    /// True if the device is quarantined because its network refused the token: it belongs to the audience, but the
    /// delivery is skipped.
    package let isInQuarantine: Bool
    /// True if the user has consented to notifications, false if the user has refused; nil if no answer was reported.
    package let consentNotification: Bool?
    /// True if the user has consented to advertising, false if the user has refused; nil if no answer was reported.
    package let consentAd: Bool?
    /// Version of the app on the device, for statistics; empty if the device has not reported one.
    package var appVersion = ""
    /// The identity mode with which the device was bound to its user.
    package var identity = App.Identity.open
    /// When the device was bound to this user.
    package var boundAt: Timestamp = .zero

    /// Returns whether the consents allow a message of this kind to be sent to the device.
    package func mayGet(_ kind: MessageKind) -> Bool {
      kind.mayReach(notification: consentNotification, ad: consentAd)
    }
  }

  /// The columns from which `member` decodes a device aliased `d`, in this order.
  static let memberColumns = """
    d.device, d.user_key, d.psid, d.network, d.environment, d.quarantined_at IS NOT NULL, d.consent_notification,
    d.consent_ad, d.app_version, d.identity, d.bound_at
    """

  // MARK: Ranges of user keys (everyone, members, guests)

  private static let nextPartStatement = Statement(
    "audience-next-part",
    """
    SELECT max(user_key), count(*) FILTER (WHERE bound_at <= $5) FROM (
      SELECT user_key, bound_at FROM devices WHERE app = $1 AND state = \(Devices.State.active.sql)
        AND user_key > $2 AND user_key <= $3
      -- All devices of the last user.
      ORDER BY user_key FETCH FIRST $4 ROWS WITH TIES) part
    """)

  /// Finds the next part of a range (`after`, `upto`]: its first `devices` active devices in key order, and the
  /// remaining devices of their last user; at the end of the range, a part can have fewer. Returns the part's last user
  /// key, and the number of its devices that were bound by `frozenAt`, because only these belong to the audience.
  /// Returns nil if the range contains no active device.
  package static func nextPart(
    app: App.Number, after: String, upto: String, frozenAt: Timestamp, devices: Int
  ) -> Query<(end: String, count: Int64)?> {
    var parameters = range(app, after, upto)
    parameters.append(devices)
    parameters.append(frozenAt)
    return Query(nextPartStatement, parameters) { rows in
      rows.decodeOne { row in
        let (end, count) = (row.optionalText(), row.int64())
        return end.map { (end: $0, count: count) }
      }
    }
  }

  private static let rangeReadStatement = Statement(
    "audience-range-read",
    """
    SELECT \(memberColumns) FROM devices d
    WHERE app = $1 AND state = \(Devices.State.active.sql) AND user_key > $2 AND user_key <= $3 AND bound_at <= $4
    ORDER BY user_key, device LIMIT $5
    """)

  package static func rangeRead(
    app: App.Number, after: String, upto: String, frozenAt: Timestamp, limit: Int
  ) -> Query<[Member]> {
    var parameters = range(app, after, upto)
    parameters.append(frozenAt)
    parameters.append(limit)
    return Query(rangeReadStatement, parameters, read: members)
  }

  private static func range(_ app: App.Number, _ after: String, _ upto: String) -> Parameters {
    return Parameters(app, after, upto)
  }

  // MARK: Groups with their subtrees

  private static let subtreeStatement = Statement(
    "audience-subtree",
    """
    WITH RECURSIVE subtree AS (
      SELECT groupseq FROM groups WHERE app = $1 AND groupseq = ANY($2)
      -- UNION, not UNION ALL: a group reached twice is followed once.
      UNION SELECT g.groupseq FROM groups g JOIN subtree s ON g.parent = s.groupseq
    ) SELECT groupseq FROM subtree
    """)

  /// Returns the groups and all their descendants, each once and in no particular order. Omits groups that do not exist
  /// or belong to another app.
  package static func subtree(app: App.Number, groups: [Int64]) -> Query<[Int64]> {
    var column = Int64Column()
    for group in groups { column.append(group) }
    return Query(each: subtreeStatement, app, column) { $0.int64() }
  }

  private static let groupKeysStatement = Statement(
    "audience-group-keys",
    """
    SELECT DISTINCT user_key FROM group_members
    WHERE app = $1 AND groupseq = ANY($2) AND user_key > $3 AND user_key <= $4 AND joined_at <= $5
    ORDER BY user_key LIMIT $6
    """,
    // Planned anew for each set of groups: a small group is read fastest by its own index, a large one along with the
    // users. A shared plan took 23 ms instead of 1 ms per batch for a group with 1 % of the members.
    isKept: false)

  /// Returns at most `limit` users with keys in (`after`, `upto`] who had joined one of the groups by `frozenAt`, each
  /// once and in key order. Members of subgroups are not included, unless `groups` lists these too.
  package static func groupKeys(
    app: App.Number, groups: [Int64], after: String, upto: String, frozenAt: Timestamp, limit: Int
  ) -> Query<[UserKey]> {
    var column = Int64Column()
    for group in groups { column.append(group) }
    return Query(each: groupKeysStatement, app, column, after, upto, frozenAt, limit) { $0.userKey() }
  }

  // MARK: Lists

  private static let ofUsersStatement = Statement(
    "audience-of-users",
    """
    SELECT \(memberColumns) FROM devices d
    WHERE app = $1 AND user_key = ANY($2) AND state = \(Devices.State.active.sql) AND bound_at <= $3
      ORDER BY user_key, device
    """)

  /// Returns the users' active devices that were bound to them by `frozenAt`, ordered by user key and device.
  package static func ofUsers(app: App.Number, _ users: [UserKey], frozenAt: Timestamp) -> Query<[Member]> {
    Query(ofUsersStatement, list(app, users.map(\.text), frozenAt), read: members)
  }

  private static let countOfUsersStatement = Statement(
    "audience-count-of-users",
    """
    SELECT user_key, count(*) FROM devices WHERE app = $1 AND user_key = ANY($2)
      AND state = \(Devices.State.active.sql) AND bound_at <= $3
    GROUP BY user_key
    """)

  /// Returns, for each user, the number of active devices that were bound to the user by `frozenAt`. Users without one
  /// are omitted.
  package static func countOfUsers(app: App.Number, _ users: [UserKey], frozenAt: Timestamp) -> Query<[UserKey: Int64]>
  {
    Query(countOfUsersStatement, list(app, users.map(\.text), frozenAt)) { rows in
      Dictionary(rows.decode { ($0.userKey(), $0.int64()) }) { first, _ in first }
    }
  }

  private static let ofTokensStatement = Statement(
    "audience-of-tokens",
    """
    SELECT DISTINCT \(memberColumns)
    FROM psids p JOIN devices d USING (device)
    WHERE p.app = $1 AND p.psid = ANY($2) AND p.kind = \(TokenKind.alert.sql) AND d.app = $1
      AND d.state = \(Devices.State.active.sql) AND d.psid = p.psid
      AND d.bound_at <= $3 ORDER BY d.user_key, d.device
    """)

  /// Returns the active devices whose current alert token is one of these and that were bound to their user by
  /// `frozenAt`, ordered by user key and device.
  package static func ofTokens(app: App.Number, _ psids: [String], frozenAt: Timestamp) -> Query<[Member]> {
    Query(ofTokensStatement, list(app, psids, frozenAt), read: members)
  }

  private static let ofDevicesStatement = Statement(
    "audience-of-devices",
    """
    SELECT \(memberColumns) FROM devices d
    WHERE app = $1 AND device = ANY($2) AND state = \(Devices.State.active.sql) AND bound_at <= $3
      ORDER BY user_key, device
    """)

  /// Returns those of the devices that belong to the app, are active and were bound to their user by `frozenAt`,
  /// ordered by user key and device.
  package static func ofDevices(app: App.Number, _ devices: [DeviceID], frozenAt: Timestamp) -> Query<[Member]> {
    var column = UUIDColumn()
    for device in devices { column.append(device) }
    return Query(ofDevicesStatement, app, column, frozenAt, read: members)
  }

  private static let boundStatement = Statement(
    "audience-bound",
    """
    SELECT \(memberColumns) FROM devices d WHERE d.device = ANY($1) AND d.state = \(Devices.State.active.sql)
    """)

  /// Returns the current user, token and consents of devices of any app, to check them again before a retry. Devices
  /// that are not active any more are omitted.
  package static func bound(_ devices: some Collection<DeviceID>) -> Query<[DeviceID: Member]> {
    Query(boundStatement, Devices.ids(devices)) { rows in
      var bound: [DeviceID: Member] = [:]
      for member in members(rows) { bound[member.device] = member }
      return bound
    }
  }

  private static func list(_ app: App.Number, _ texts: [String], _ frozenAt: Timestamp) -> Parameters {
    var column = TextColumn()
    for text in texts { column.append(text) }
    return Parameters(app, column, frozenAt)
  }

  static func members(_ rows: Rows) -> [Member] {
    rows.decode(member)
  }

  /// Decodes the columns of `memberColumns`. Values that only a newer release knows become APNs, production and `open`.
  static func member(_ row: inout RowReader) -> Member {
    Member(
      device: row.device(), userKey: row.userKey(), psid: row.text(),
      network: PushNetwork(rawValue: row.int16()) ?? .apns,
      environment: PushEnvironment(rawValue: row.int16()) ?? .production,
      isInQuarantine: row.bool(), consentNotification: row.optionalBool(),
      consentAd: row.optionalBool(), appVersion: row.text(),
      identity: App.Identity(rawValue: row.int16()) ?? .open, boundAt: row.timestamp())
  }

  /// Decodes rows of `memberColumns` followed by the app, and groups them by user.
  static func membersByUser(_ rows: Rows) -> [Users.Key: [Member]] {
    var members: [Users.Key: [Member]] = [:]
    rows.forEach { row in
      let member = member(&row)
      members[Users.Key(app: row.int32(), userKey: member.userKey), default: []].append(member)
    }
    return members
  }

  // MARK: Already claimed

  private static let claimedStatement = Statement(
    "audience-claimed",
    """
    SELECT device FROM unnest($1) AS t(device)
    WHERE EXISTS (SELECT FROM outcomes o WHERE o.seqno = $2 AND o.device = t.device)
    UNION ALL
    -- Each claim is opened once, and not for each of the devices.
    SELECT t.device FROM claims c CROSS JOIN unnest(c.devices) AS u(device) JOIN unnest($1) AS t(device) USING (device)
    WHERE c.seqno = $2
    UNION ALL
    -- Who has always been the same user is asked for nothing: after an import that is everybody.
    SELECT t.device FROM unnest($1) AS t(device) JOIN former_users f ON f.device = t.device
    CROSS JOIN LATERAL block_deliveries($2, f.user_key) b WHERE b.device = t.device
    UNION ALL
    -- A device that took over another device's token since it was bound is the same telephone, which may have been
    -- claimed as that other device.
    SELECT t.device FROM unnest($1) AS t(device) JOIN devices d ON d.device = t.device
    JOIN former_psids p ON p.app = d.app AND p.psid = d.psid AND p.device <> d.device AND p.ended_at >= d.bound_at
    WHERE EXISTS (SELECT FROM outcomes o WHERE o.seqno = $2 AND o.device = p.device)
      OR EXISTS (SELECT FROM claims c WHERE c.seqno = $2 AND c.devices @> ARRAY[p.device])
      OR block_status($2, p.device) IS NOT NULL
    """)

  /// Returns those of the devices for which a message was claimed before: devices with a row in `outcomes`, devices
  /// listed in a claim in progress, and devices in a block under a former user; also devices that took over the token
  /// of such a device since they were bound. Does not search blocks for the current user of a device; the caller
  /// must know that these do not contain it.
  package static func claimed(_ devices: [DeviceID], of seqno: Seqno) -> Query<Set<DeviceID>> {
    var column = UUIDColumn()
    for device in devices { column.append(device) }
    return Query(claimedStatement, column, seqno) { rows in Set(rows.decode { $0.device() }) }
  }
}
