package import Domain
internal import Postgres
package import Time

/// Queries about the bindings of devices to users: a user's other devices, requests that an identity mode refuses, and
/// bindings weaker than an app requires.
package enum Bindings {
  // MARK: Other devices

  private static let othersStatement = Statement(
    "bindings-others",
    """
    SELECT t.app, t.user_key, d.device FROM unnest($1, $2) AS t(app, user_key)
    CROSS JOIN LATERAL (
      SELECT device FROM devices WHERE devices.app = t.app AND devices.user_key = t.user_key
        AND state = \(Devices.State.active.sql)
      -- One of them may be the one that asks.
      ORDER BY device LIMIT 2) d
    """)

  /// Returns up to two active devices of each user, those with the lowest ids, without locks. Users without active
  /// devices are omitted.
  package static func some(of users: some Collection<Users.Key>) -> Query<[Users.Key: [DeviceID]]> {
    Query(othersStatement, Users.keys(users)) { rows in
      var devices: [Users.Key: [DeviceID]] = [:]
      rows.forEach { row in
        let user = Users.Key(app: row.int32(), userKey: row.userKey())
        devices[user, default: []].append(row.device())
      }
      return devices
    }
  }

  // MARK: Refusals by a stricter identity mode

  /// An app's counts of requests that its identity mode refuses, or that a stricter mode being tried out would refuse,
  /// and of devices that became guests.
  package struct Refusals: Equatable, Sendable {
    /// Number of devices that named a user without a proof or voucher.
    package var unproved: Int64 = 0
    /// Number of calls with an AUTHKEY that was requested with the token alone.
    package var asked: Int64 = 0
    /// Number of devices that became guests, because they registered a new token without their key. Their DEVICE_ID had
    /// been bound to a user.
    package var refreshed: Int64 = 0

    package init() {}
  }

  private static let countStatement = Statement(
    "bindings-count",
    """
    INSERT INTO identity_refusals (app, day, writer, unproved, asked, refreshed)
    SELECT app, ($4::timestamptz AT TIME ZONE 'UTC')::date, $5, unproved, asked, refreshed
    FROM unnest($1, $2, $3, $6) AS t(app, unproved, asked, refreshed) ORDER BY app
    ON CONFLICT (app, day, writer) DO UPDATE SET unproved = identity_refusals.unproved + excluded.unproved,
      asked = identity_refusals.asked + excluded.asked, refreshed = identity_refusals.refreshed + excluded.refreshed
    """)

  package static func count(_ refusals: [App.Number: Refusals], writer: Int32, at now: Timestamp) -> Query<Void> {
    var (apps, unproved, asked, refreshed) = (Int32Column(), Int64Column(), Int64Column(), Int64Column())
    for (app, refused) in refusals {
      apps.append(app)
      unproved.append(refused.unproved)
      asked.append(refused.asked)
      refreshed.append(refused.refreshed)
    }
    return Query(countStatement, apps, unproved, asked, now, writer, refreshed) { _ in }
  }

  private static let refusalsStatement = Statement(
    "bindings-refusals",
    """
    SELECT coalesce(sum(unproved), 0)::bigint, coalesce(sum(asked), 0)::bigint, coalesce(sum(refreshed), 0)::bigint
    FROM identity_refusals
    WHERE app = $1 AND day > (now() AT TIME ZONE 'UTC')::date - $2::integer
    """)

  /// Returns an app's counts, added up over the last `days` days by UTC, including today; zeros if nothing was counted.
  package static func refusals(of app: App.Number, days: Int32) -> Query<Refusals> {
    Query(one: refusalsStatement, app, days) { row in
      var refusals = Refusals()
      (refusals.unproved, refusals.asked) = (row.int64(), row.int64())
      refusals.refreshed = row.int64()
      return refusals
    }
  }

  // MARK: Bindings weaker than the app requires

  private static let laxStatement = Statement(
    "bindings-lax",
    """
    SELECT count(*) FILTER (WHERE identity < \(App.Identity.proof.sql)), count(*) FROM devices
    WHERE app = $1 AND user_key >= 'u' AND user_key < 'v' AND state = \(Devices.State.active.sql)
      AND identity < \(App.Identity.strict.sql)
    """)

  /// Returns the numbers of active devices whose binding to a user is weaker than `.proof` requires, and than `.strict`
  /// does. Guests, which have no user, do not count. Reads all of the app's devices.
  package static func countLax(in app: App.Number) -> Query<[App.Identity: Int64]> {
    Query(one: laxStatement, app) { row in
      let proof = row.int64()
      return [.proof: proof, .strict: row.int64()]
    }
  }

  package static let start = DeviceID.lowest

  private static let graceOverStatement = Statement(
    "bindings-grace-over",
    "SELECT clock_timestamp() WHERE EXISTS (SELECT FROM apps WHERE grace_ends_at <= clock_timestamp())")

  /// Returns the database's time, if the grace period of some app is over; otherwise nil.
  package static func graceOver() -> Query<Timestamp?> {
    Query(first: graceOverStatement) { $0.timestamp() }
  }

  private static let endUnprovedStatement = Statement(
    "bindings-end-unproved",
    """
    WITH part AS MATERIALIZED (
      SELECT device, app, user_key, identity, state FROM devices WHERE device > $1 ORDER BY device LIMIT $3
    ), lax AS MATERIALIZED (
      SELECT p.device, p.user_key FROM part p JOIN apps a ON a.app = p.app
      WHERE a.grace_ends_at <= clock_timestamp() AND p.user_key >= 'u' AND p.user_key < 'v' AND p.identity < a.identity
    ), free AS MATERIALIZED (
      SELECT d.device FROM devices d JOIN lax l ON l.device = d.device JOIN apps a ON a.app = d.app
      WHERE d.user_key = l.user_key AND d.identity < a.identity ORDER BY d.device FOR UPDATE OF d SKIP LOCKED
    ), ended AS (
      UPDATE devices d SET user_key = 'g' || d.device, bound_at = $2, identity = 0 FROM free WHERE d.device = free.device
      RETURNING 1
    )
    -- The last of a full part; after one that is not full there is nothing.
    SELECT (SELECT CASE WHEN count(*) = $3 THEN max(device::text) END FROM part), (SELECT count(*) FROM ended),
      (SELECT count(*) FROM lax)
    """)

  /// Turns devices into guests if their app's grace period is over and their binding to a user is weaker than the app
  /// requires. Examines the next `limit` devices of all apps after `device`, in order of id.
  /// - Returns: the last device examined, after which the next call starts, or nil if no devices are left; how many
  ///   devices became guests; and how many were skipped, because another transaction had locked or just changed their
  ///   row.
  package static func endUnproved(
    after device: DeviceID, at now: Timestamp, atMost limit: Int
  ) -> Query<(last: DeviceID?, ended: Int, left: Int)> {
    Query(one: endUnprovedStatement, device, now, limit) { row in
      let (last, ended, lax) = (row.optionalText(), Int(row.int64()), Int(row.int64()))
      return (last.flatMap { DeviceID($0) }, ended, lax - ended)
    }
  }

  private static let endGraceStatement = Statement(
    "bindings-end-grace", "UPDATE apps SET grace_ends_at = NULL WHERE grace_ends_at <= $1")

  /// Removes the grace periods, of all apps, that ended at or before `time`.
  package static func endGrace(overBy time: Timestamp) -> Query<Void> {
    Query(endGraceStatement, time) { _ in }
  }
}
