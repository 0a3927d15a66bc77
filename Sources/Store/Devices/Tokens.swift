package import Domain
internal import Postgres
package import Time

/// Ownership of push tokens: a token of an app, network and kind belongs to one device.
package enum Tokens {
  /// A token that a device claims.
  package struct Claimed: Hashable, Sendable {
    package let app: App.Number
    package let psid: String
    package let network: PushNetwork
    package let device: DeviceID
    package let kind: TokenKind
    /// The Live Activity to which a `liveActivityUpdate` token belongs; nil for other kinds.
    package let activity: ActivityName?

    package init(
      app: App.Number, psid: String, network: PushNetwork, device: DeviceID, kind: TokenKind = .alert,
      activity: ActivityName? = nil
    ) {
      self.activity = activity
      self.app = app
      self.psid = psid
      self.network = network
      self.device = device
      self.kind = kind
    }
  }

  private static let lockStatement = Statement(
    "tokens-lock",
    """
    WITH wanted AS (
      SELECT app, psid, network, device, kind, last
      FROM unnest($1, $2, $3, $4, $5, $7) AS t(app, psid, network, device, kind, last)
    ), former AS MATERIALIZED (
      -- What the rows of their DEVICE_IDs have now, and one of them will have no more.
      SELECT d.app, d.psid, d.network, w.kind FROM wanted w JOIN devices d ON d.device BETWEEN w.device AND w.last
      WHERE w.kind = \(TokenKind.alert.sql) AND d.psid <> w.psid
      -- And all tokens of the devices that unregister.
      UNION ALL SELECT app, psid, network, \(TokenKind.alert.sql)::smallint FROM devices WHERE device = ANY($8)
      UNION ALL SELECT app, psid, network, kind FROM psids
      WHERE device = ANY($8) AND kind > \(TokenKind.alert.sql)
    ), locked AS MATERIALIZED (
      -- Old and new together, in one order: two devices that exchange their tokens take turns.
      SELECT l.locked FROM (
        SELECT * FROM (
          SELECT app, psid, network, kind FROM wanted WHERE EXISTS (SELECT FROM former)
          UNION SELECT app, psid, network, kind FROM former) u
        ORDER BY app, psid COLLATE "C", network, kind) k,
      LATERAL (
        SELECT 1 AS locked FROM psids p
        WHERE p.app = k.app AND p.psid = k.psid AND p.network = k.network AND p.kind = k.kind FOR UPDATE) l
    )
    INSERT INTO psids (app, psid, network, kind, device, bound_at)
    SELECT app, psid, network, kind, device, $6 FROM wanted
    -- All of it is locked before the first is made.
    WHERE (SELECT count(*) FROM locked) >= 0
    ORDER BY app, psid COLLATE "C", network, kind
    -- Nothing changes yet: the conflict only locks the row and tells the present owner.
    ON CONFLICT (app, psid, network, kind) DO UPDATE SET device = psids.device
    RETURNING app, psid, device
    """)

  /// Locks the claimed tokens, and inserts those that do not exist, as tokens of the claiming device. Also locks the
  /// other alert tokens of the rows with the same DEVICE_ID, because one of these rows will lose its token, and all
  /// tokens of the `leaving` devices, which unregister. Returns the owner of each claimed token.
  package static func lock(_ tokens: [Claimed], leaving: Set<DeviceID> = [], at now: Timestamp) -> Query<
    [(app: App.Number, psid: String, owner: DeviceID)]
  > {
    var parameters = columns(tokens, now)
    var last = UUIDColumn()
    for token in tokens { last.append(token.device.rows.max() ?? token.device) }
    parameters.append(last)
    var devices = UUIDColumn()
    for device in leaving { devices.append(device) }
    parameters.append(devices)
    return Query(lockStatement, parameters) {
      $0.decode { row in
        (row.int32(), row.text(), row.device())
      }
    }
  }

  private static let moveStatement = Statement(
    "tokens-move",
    """
    INSERT INTO psids (app, psid, network, kind, device, bound_at, activity, activity_type)
    SELECT app, psid, network, kind, device, $6, activity, activity_type
    FROM unnest($1, $2, $3, $4, $5, $7, $8) AS t(app, psid, network, device, kind, activity, activity_type)
    ORDER BY app, psid COLLATE "C", network, kind
    ON CONFLICT (app, psid, network, kind) DO UPDATE SET
      device = excluded.device, bound_at = excluded.bound_at, activity = excluded.activity,
      activity_type = excluded.activity_type
    """)

  /// Assigns tokens to the devices that claim them, bound at `now`, whichever device owned them before. The caller
  /// holds the tokens' row locks.
  package static func move(_ tokens: [Claimed], at now: Timestamp) -> Query<Void> {
    var parameters = columns(tokens, now)
    append(tokens.map(\.activity), to: &parameters)
    return Query(moveStatement, parameters) { _ in }
  }

  private static let retireStatement = Statement(
    "tokens-retire",
    """
    WITH retired AS (
      SELECT app, psid, network, device, kind FROM unnest($1, $2, $3, $4, $5) AS t(app, psid, network, device, kind)
    ), gone AS (
      -- Only while it still belongs to the device: a token that has moved on is not ours to delete.
      DELETE FROM psids p USING retired r
      WHERE p.app = r.app AND p.psid = r.psid AND p.network = r.network AND p.kind = r.kind AND p.device = r.device
    )
    INSERT INTO former_psids (app, psid, device, ended_at)
    SELECT DISTINCT app, psid, device, $6::timestamptz FROM retired ORDER BY app, psid, device
    ON CONFLICT (app, psid, device) DO UPDATE SET ended_at = excluded.ended_at
    """)

  /// Records the devices as former owners of the tokens, so that late receipts can still be verified. Deletes the
  /// tokens, except those that already belong to another device.
  package static func retire(_ tokens: [Claimed], at now: Timestamp) -> Query<Void> {
    Query(retireStatement, columns(tokens, now)) { _ in }
  }

  private static let forgetStatement = Statement(
    "tokens-forget",
    """
    DELETE FROM psids p USING unnest($1, $2, $3, $4) AS t(app, psid, network, device)
    WHERE p.app = t.app AND p.psid = t.psid AND p.network = t.network AND p.kind = \(TokenKind.alert.sql)
      -- What another device has was only locked.
      AND p.device = t.device
    """)

  /// Deletes alert tokens that `lock` has inserted in the same transaction for devices that are then refused. A token
  /// that belongs to another device stays; one that the device had before `lock` would be deleted too.
  package static func forget(_ tokens: [Claimed]) -> Query<Void> {
    Query(forgetStatement, columns(tokens)) { _ in }
  }

  private static let retireDeadStatement = Statement(
    "tokens-retire-dead",
    """
    WITH dead AS MATERIALIZED (
      SELECT d.*, l.locked
      FROM (
        SELECT * FROM unnest($1, $2, $3, $4, $5, $7) AS t(app, psid, network, device, kind, since)
        ORDER BY app, psid COLLATE "C", network, kind) d,
      LATERAL (
        SELECT 1 AS locked FROM psids p
        WHERE p.app = d.app AND p.psid = d.psid AND p.network = d.network AND p.kind = d.kind FOR UPDATE) l
    ), gone AS (
      DELETE FROM psids p USING dead d
      WHERE p.app = d.app AND p.psid = d.psid AND p.network = d.network AND p.kind = d.kind AND p.device = d.device
        -- Registered at that very moment counts as registered after it.
        AND p.bound_at < d.since
      RETURNING p.app, p.psid, p.device
    )
    INSERT INTO former_psids (app, psid, device, ended_at)
    SELECT DISTINCT app, psid, device, $6::timestamptz FROM gone ORDER BY app, psid, device
    ON CONFLICT (app, psid, device) DO UPDATE SET ended_at = excluded.ended_at
    """)

  /// Deletes tokens that a network has reported invalid at `since`, and records the devices as former owners. Keeps a
  /// token that was bound at `since` or later, or that belongs to another device by now.
  package static func retire(dead: [(token: Claimed, since: Timestamp)], at now: Timestamp) -> Query<Void> {
    var parameters = columns(dead.map(\.token), now)
    var times = TimestampColumn()
    for (_, since) in dead { times.append(since) }
    parameters.append(times)
    return Query(retireDeadStatement, parameters) { _ in }
  }

  private static let ofDevicesStatement = Statement(
    "tokens-of-devices",
    """
    SELECT device, psid FROM psids
    -- The ordinary token stands in the device's own row; those of other kinds are found by their index.
    WHERE app = $1 AND device = ANY($2) AND kind = $3 AND kind > \(TokenKind.alert.sql)
      AND ($4::text IS NULL OR activity = $4) AND ($5::text IS NULL OR activity_type = $5)
    ORDER BY device, bound_at DESC, psid
    """)

  /// Returns each device's tokens of a kind other than alert, newest first: at most one, or one for each matching Live
  /// Activity. Devices without one are omitted; for alert tokens, the result is empty.
  /// - Parameter activities: the Live Activities to include; all by default.
  package static func ofDevices(
    app: App.Number, _ devices: some Collection<DeviceID>, kind: TokenKind,
    activities: ActivitySelection = ActivitySelection()
  ) -> Query<[DeviceID: [String]]> {
    var column = UUIDColumn()
    for device in devices { column.append(device) }
    return Query(ofDevicesStatement, app, column, kind.rawValue, activities.id, activities.attributesType) { rows in
      var tokens: [DeviceID: [String]] = [:]
      rows.forEach { row in tokens[row.device(), default: []].append(row.text()) }
      return tokens
    }
  }

  /// Appends two columns: the ids and the attributes types of the activities, null for tokens without an activity.
  static func append(_ activities: [ActivityName?], to parameters: inout Parameters) {
    var (ids, types) = (TextColumn(), TextColumn())
    for activity in activities {
      ids.append(activity?.id)
      types.append(activity?.attributesType)
    }
    parameters.append(ids)
    parameters.append(types)
  }

  static func columns(_ tokens: [Claimed], _ now: Timestamp) -> Parameters {
    var kinds = Int16Column()
    for token in tokens { kinds.append(token.kind.rawValue) }
    var parameters = columns(tokens)
    parameters.append(kinds)
    parameters.append(now)
    return parameters
  }

  private static func columns(_ tokens: [Claimed]) -> Parameters {
    var apps = Int32Column()
    var psids = TextColumn()
    var networks = Int16Column()
    var devices = UUIDColumn()
    for token in tokens {
      apps.append(token.app)
      psids.append(token.psid)
      networks.append(token.network.rawValue)
      devices.append(token.device)
    }
    return Parameters(apps, psids, networks, devices)
  }
}
