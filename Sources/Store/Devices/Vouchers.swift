internal import Domain
internal import Postgres
package import Time

/// Vouchers that an app's backend creates at login: the next matching device that names the user before the voucher
/// expires is bound to that user. A user has at most one voucher; a new one replaces the previous one. Decision 028.
package enum Vouchers {
  private static let makeStatement = Statement(
    "vouchers-make",
    """
    INSERT INTO vouchers (app, user_key, device_id, expires_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (app, user_key) DO UPDATE SET device_id = excluded.device_id, expires_at = excluded.expires_at
    """)

  /// Stores a voucher for a user, replacing the user's previous voucher.
  /// - Parameters:
  ///   - installation: the DEVICE_ID that the voucher is limited to; nil for any device.
  ///   - end: when the voucher expires.
  package static func make(for user: Users.Key, installation: String?, until end: Timestamp) -> Query<Void> {
    Query(makeStatement, user.app, user.userKey.text, installation ?? "", end) { _ in }
  }

  /// A device, identified by its DEVICE_ID (`installation`), that names a user.
  package struct Presented: Hashable, Sendable {
    package let user: Users.Key
    package let installation: String

    package init(user: Users.Key, installation: String) {
      self.user = user
      self.installation = installation
    }
  }

  private static let takeStatement = Statement(
    "vouchers-take",
    """
    DELETE FROM vouchers WHERE (app, user_key) IN (
      SELECT v.app, v.user_key FROM unnest($1, $2, $3) AS t(app, user_key, device_id)
      JOIN vouchers v ON v.app = t.app AND v.user_key = t.user_key
      WHERE v.expires_at > $4 AND (v.device_id = '' OR v.device_id = t.device_id)
      -- In one order, for nodes take them at the same time.
      ORDER BY v.app, v.user_key COLLATE "C" FOR UPDATE OF v)
    RETURNING app, user_key, device_id
    """)

  /// Deletes the unexpired vouchers that match a presented device, because a voucher can be used only once. Returns,
  /// for each of their users, the DEVICE_ID that the voucher was limited to; empty if it was valid for any device.
  package static func take(_ presented: [Presented], at now: Timestamp) -> Query<[Users.Key: String]> {
    var parameters = Users.keys(presented.map(\.user))
    var installations = TextColumn()
    for one in presented { installations.append(one.installation) }
    parameters.append(installations)
    parameters.append(now)
    return Query(takeStatement, parameters) { rows in
      let taken = rows.decode { (Users.Key(app: $0.int32(), userKey: $0.userKey()), $0.text()) }
      return Dictionary(taken) { first, _ in first }
    }
  }

  private static let sweepStatement = Statement(
    "vouchers-sweep",
    """
    DELETE FROM vouchers WHERE (app, user_key) IN (
      SELECT app, user_key FROM vouchers WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
    """)

  /// Deletes at most `limit` vouchers that expired at or before `now`, oldest first, and returns the number deleted.
  /// Skips locked rows.
  package static func sweep(before now: Timestamp, limit: Int) -> Query<Int> {
    Query(sweepStatement, now, limit) { $0.affected }
  }
}
