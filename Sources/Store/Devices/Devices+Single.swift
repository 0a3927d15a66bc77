package import Domain
internal import Postgres

/// Locks for apps with the `single` device policy, in which only a user's last registered device belongs to the user.
///
/// Binding a device to such a user requires knowing all of the user's devices while no other transaction adds one. A
/// row lock cannot protect a row that does not exist yet, so transactions that bind devices to the same user first take
/// an advisory lock on the user's key (`lockNames`).
extension Devices {
  private static let lockNamesStatement = Statement(
    "devices-lock-names",
    """
    SELECT pg_advisory_xact_lock(1970300787, slot) FROM (
      -- Few slots, so that the table of locks cannot fill up; two users in one slot merely wait for each other.
      SELECT DISTINCT hashtext(name) & 1023 AS slot FROM unnest($1) AS t(name) ORDER BY slot) slots
    """)

  /// Locks the keys of users, in all apps, until the transaction ends: another transaction that locks the same key, or
  /// one with the same hash, waits. Call this before locking rows if the users are known by then, because the opposite
  /// order can cause a deadlock.
  package static func lockNames(_ users: some Collection<UserKey>) -> Query<Void> {
    var names = TextColumn()
    for user in users { names.append(user.text) }
    return Query(lockNamesStatement, names) { _ in }
  }

  private static let lockWithOthersStatement = Statement(
    "devices-lock-with-others",
    """
    INSERT INTO devices (\(columnList))
    SELECT d.* FROM (
      SELECT unnest($1::uuid[]) AS device
      UNION
      SELECT o.device FROM devices o, unnest($2::text[]) AS named(user_key)
      WHERE o.app = ANY($3) AND o.user_key = named.user_key AND o.state = \(Devices.State.active.sql)
      -- One whose token was refused or taken keeps its user, and comes back with its key.
      UNION
      SELECT o.device FROM devices o, unnest($2::text[]) AS named(user_key)
      WHERE o.app = ANY($3) AND o.user_key = named.user_key AND o.state <> \(Devices.State.active.sql)) u
    CROSS JOIN LATERAL (SELECT \(columnList) FROM devices WHERE devices.device = u.device) d
    -- In key order, those that are asked for and the others together.
    ORDER BY device
    ON CONFLICT (device) DO UPDATE SET device = excluded.device
    RETURNING \(columnList)
    """)

  /// Locks `devices` and all devices of these users in these apps, in any state and in key order, until the transaction
  /// ends. Returns the latest rows of all these devices; devices that do not exist are omitted.
  package static func lock(
    _ devices: some Collection<DeviceID>, othersOf users: some Collection<UserKey>, in apps: some Collection<App.Number>
  ) -> Query<[Record]> {
    var parameters = ids(devices)
    var (names, numbers) = (TextColumn(), Int32Column())
    for user in users { names.append(user.text) }
    for app in apps { numbers.append(app) }
    parameters.append(names)
    parameters.append(numbers)
    return Query(lockWithOthersStatement, parameters) { $0.decode { Record(&$0) } }
  }
}
