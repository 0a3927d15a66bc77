package import Domain
internal import Postgres
package import Time

/// Pushes that the server sends of its own accord. A notice is queued in the transaction that causes it. The sender
/// deletes the notice (`done`) once its message is stored, or if none can be sent; otherwise the notice is tried again.
package enum DeviceNotices {
  /// The raw values are stored in the database, so they must not change.
  package enum Kind: Int16, Sendable {
    /// Informs the user's other devices of a new one.
    case newDevice = 1
    /// Proves that the device receives pushes sent to its token: the device must return this push.
    case possession = 2
  }

  package struct New: Sendable {
    package let device: DeviceID
    package let user: Users.Key
    package let kind: Kind

    package init(device: DeviceID, user: Users.Key, kind: Kind) {
      self.device = device
      self.user = user
      self.kind = kind
    }
  }

  private static let queueStatement = Statement(
    "device-notices-queue",
    """
    INSERT INTO device_notices (app, user_key, device, kind, created_at)
    SELECT app, user_key, device, kind, $5 FROM unnest($1, $2, $3, $4) AS t(app, user_key, device, kind)
    """)

  package static func queue(_ notices: [New], at now: Timestamp) -> Query<Void> {
    var parameters = Users.keys(notices.map(\.user))
    var (devices, kinds) = (UUIDColumn(), Int16Column())
    for notice in notices {
      devices.append(notice.device)
      kinds.append(notice.kind.rawValue)
    }
    parameters.append(devices)
    parameters.append(kinds)
    parameters.append(now)
    return Query(queueStatement, parameters) { _ in }
  }

  /// A queued notice, with the devices that should receive it.
  package struct Waiting: Sendable {
    package let number: Int64
    /// When the notice was queued.
    package let createdAt: Timestamp
    package let appID: String
    package let kind: Kind?
    package let devices: [DeviceID]
  }

  private static let waitingStatement = Statement(
    "device-notices-waiting",
    """
    SELECT n.notice, a.app_id, n.kind, CASE n.kind WHEN 2 THEN n.device::text ELSE (
        SELECT string_agg(o.device::text, ' ') FROM (
          SELECT d.device FROM devices d
          WHERE d.app = n.app AND d.user_key = n.user_key AND d.state = \(Devices.State.active.sql)
            AND d.device <> n.device
          ORDER BY d.device LIMIT $2) o) END, n.created_at
    FROM device_notices n JOIN apps a ON a.app = n.app ORDER BY n.notice LIMIT $1
    """)

  /// Returns at most `limit` notices, oldest first. A `newDevice` notice lists at most `devices` of the user's other
  /// active devices, possibly none. A `possession` notice lists its own device.
  package static func waiting(limit: Int, devices: Int) -> Query<[Waiting]> {
    Query(each: waitingStatement, limit, devices) { row in
      let (number, appID, kind) = (row.int64(), row.text(), Kind(rawValue: row.int16()))
      let devices = (row.optionalText() ?? "").split(separator: " ").compactMap { DeviceID($0) }
      return Waiting(number: number, createdAt: row.timestamp(), appID: appID, kind: kind, devices: devices)
    }
  }

  private static let doneStatement = Statement("device-notices-done", "DELETE FROM device_notices WHERE notice = $1")

  package static func done(_ number: Int64) -> Query<Void> {
    Query(doneStatement, number) { _ in }
  }
}
