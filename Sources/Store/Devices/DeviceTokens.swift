package import Domain
internal import Postgres
package import Time

/// A device's tokens other than its alert token: at most one of each kind or, for updates of Live Activities, one per
/// activity. The table `psids` stores them like all tokens. Callers lock the device's row before they move a token to
/// the device or remove one, except before `endActivities` and `Tokens.retire(dead:at:)`.
package enum DeviceTokens {
  /// A token, other than an alert token, that a device claims.
  package struct Wanted: Hashable, Sendable {
    package let device: DeviceID
    package let kind: TokenKind
    package let psid: String
    /// The Live Activity to which a `liveActivityUpdate` token belongs; nil for other kinds.
    package let activity: ActivityName?

    package init(device: DeviceID, kind: TokenKind, psid: String, activity: ActivityName? = nil) {
      self.device = device
      self.kind = kind
      self.psid = psid
      self.activity = activity
    }
  }

  private static let lockStatement = Statement(
    "device-tokens-lock",
    """
    WITH wanted AS MATERIALIZED (
      -- App and network of a device never change.
      SELECT d.app, t.psid, d.network, t.kind, d.device, t.activity, t.activity_type
      FROM unnest($1, $2, $3, $5, $6) AS t(device, kind, psid, activity,
        activity_type) JOIN devices d ON d.device = t.device
    ), former AS MATERIALIZED (
      -- What their devices have of these kinds and will have no more.
      SELECT p.app, p.psid, p.network, p.kind FROM wanted w JOIN psids p ON p.device = w.device AND p.kind = w.kind
      WHERE p.kind > \(TokenKind.alert.sql) AND p.psid <> w.psid
    ), locked AS MATERIALIZED (
      -- Old and new together, in one order: as `Tokens.lock` does.
      SELECT l.locked FROM (
        SELECT * FROM (
          SELECT app, psid, network, kind FROM wanted WHERE EXISTS (SELECT FROM former)
          UNION SELECT app, psid, network, kind FROM former) u
        ORDER BY app, psid COLLATE "C", network, kind) k,
      LATERAL (
        SELECT 1 AS locked FROM psids p
        WHERE p.app = k.app AND p.psid = k.psid AND p.network = k.network AND p.kind = k.kind FOR UPDATE) l
    ), owned AS (
      INSERT INTO psids (app, psid, network, kind, device, bound_at, activity, activity_type)
      SELECT app, psid, network, kind, device, $4, activity, activity_type FROM wanted
      WHERE (SELECT count(*) FROM locked) >= 0
      ORDER BY app, psid COLLATE "C", network, kind
      ON CONFLICT (app, psid, network, kind) DO UPDATE SET device = psids.device
      RETURNING app, psid, network, kind, device, bound_at
    )
    -- Devices of two apps may have the same token.
    SELECT w.device, o.psid, o.kind, o.device, o.bound_at = $4
    FROM owned o JOIN wanted w USING (app, psid, network, kind)
    """)

  package struct Owned: Sendable {
    /// The device that wants the token.
    package let claimant: DeviceID
    package let psid: String
    package let kind: TokenKind
    package let owner: DeviceID
    /// True if this call of `lock` has inserted the token, for the claimant.
    package let isNew: Bool
  }

  /// Locks the wanted tokens, and inserts those that do not exist, as tokens of the claiming device. Also locks the
  /// tokens of the same kinds that the devices already have. Returns the owner of each wanted token, except tokens
  /// wanted by devices that do not exist.
  package static func lock(_ wanted: [Wanted], at now: Timestamp) -> Query<[Owned]> {
    var parameters = columns(wanted)
    parameters.append(now)
    Tokens.append(wanted.map(\.activity), to: &parameters)
    return Query(lockStatement, parameters) {
      $0.decode { row in
        Owned(
          claimant: row.device(), psid: row.text(), kind: TokenKind(rawValue: row.int16()) ?? .voip,
          owner: row.device(), isNew: row.bool())
      }
    }
  }

  private static let findStatement = Statement(
    "device-tokens-find",
    """
    SELECT app, psid, network, device, kind, activity, activity_type FROM psids
    WHERE device = ANY($1::uuid[]) AND kind > \(TokenKind.alert.sql) ORDER BY device, bound_at, psid
    """)

  /// Returns all tokens of the devices except alert tokens, ordered by device and, for each device, oldest first.
  package static func find(_ devices: some Collection<DeviceID>) -> Query<[Tokens.Claimed]> {
    Query(findStatement, Devices.ids(devices)) { rows in
      rows.decode { row in
        let (app, psid, network) = (row.int32(), row.text(), PushNetwork(rawValue: row.int16()) ?? .apns)
        let (device, kind) = (row.device(), TokenKind(rawValue: row.int16()) ?? .voip)
        let (activity, type) = (row.optionalText(), row.optionalText())
        return Tokens.Claimed(
          app: app, psid: psid, network: network, device: device, kind: kind,
          activity: activity.map { ActivityName(id: $0, attributesType: type) })
      }
    }
  }

  private static let forgetStatement = Statement(
    "device-tokens-forget",
    """
    DELETE FROM psids p USING unnest($1, $2, $3) AS t(device, kind, psid)
    WHERE p.psid = t.psid AND p.kind = t.kind AND p.device = t.device
      AND p.app = (SELECT app FROM devices d WHERE d.device = t.device)
    """)

  /// Deletes tokens that `lock` has inserted (`isNew`) for devices whose request is then refused. A token that belongs
  /// to another device stays; one that the device had before `lock` would be deleted too.
  package static func forget(_ wanted: [Wanted]) -> Query<Void> {
    Query(forgetStatement, columns(wanted)) { _ in }
  }

  private static let endActivitiesStatement = Statement(
    "device-tokens-end-activities",
    """
    DELETE FROM psids WHERE (app, psid, network, kind) IN (
      SELECT app, psid, network, kind FROM psids WHERE kind = \(TokenKind.liveActivityUpdate.sql)
        AND bound_at < $1 ORDER BY bound_at LIMIT $2
      FOR UPDATE SKIP LOCKED)
    """)

  /// Deletes at most `limit` tokens of Live Activities that were bound more than `Store.Limits.activityLifetime` ago,
  /// oldest first, and returns the number deleted. Skips locked tokens. Does not record the tokens as former ones,
  /// because devices never confirm pushes to Live Activities.
  package static func endActivities(at now: Timestamp, atMost limit: Int) -> Query<Int> {
    Query(endActivitiesStatement, now - Store.Limits.activityLifetime, limit) { $0.affected }
  }

  private static func columns(_ wanted: [Wanted]) -> Parameters {
    var (devices, kinds, psids) = (UUIDColumn(), Int16Column(), TextColumn())
    for token in wanted {
      devices.append(token.device)
      kinds.append(token.kind.rawValue)
      psids.append(token.psid)
    }
    return Parameters(devices, kinds, psids)
  }
}
