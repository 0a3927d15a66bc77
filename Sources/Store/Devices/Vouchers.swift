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
    ON CONFLICT (app, user_key)
    DO UPDATE SET device_id = excluded.device_id, psid = excluded.psid, expires_at = excluded.expires_at
    """)

  /// Stores a voucher for a user, replacing the user's previous voucher.
  /// - Parameters:
  ///   - installation: the DEVICE_ID that the voucher is limited to; nil for any device.
  ///   - end: when the voucher expires.
  package static func make(for user: Users.Key, installation: String?, until end: Timestamp) -> Query<Void> {
    Query(makeStatement, user.app, user.userKey.text, installation ?? "", end) { _ in }
  }

  /// A device that names a user, identified by its DEVICE_ID (`installation`) and its token (`psid`).
  package struct Presented: Hashable, Sendable {
    package let user: Users.Key
    package let installation: String
    package let psid: String

    package init(user: Users.Key, installation: String, psid: String) {
      self.user = user
      self.installation = installation
      self.psid = psid
    }
  }

  /// How long a used voucher still vouches for the device that used it: two attempts of a client whose first answer was
  /// lost, and the time that a busy server takes.
  private static let secondsForRepeats: Int64 = 120

  private static let useStatement = Statement(
    "vouchers-use",
    """
    UPDATE vouchers v SET device_id = t.device_id, psid = t.psid, expires_at = least(v.expires_at, $6)
    FROM (
      SELECT v.app, v.user_key, t.device_id, t.psid FROM unnest($1, $2, $3, $4) AS t(app, user_key, device_id, psid)
      JOIN vouchers v ON v.app = t.app AND v.user_key = t.user_key
      WHERE v.expires_at > $5 AND (v.device_id = '' OR v.device_id = t.device_id) AND (v.psid = '' OR v.psid = t.psid)
      -- In one order, for nodes use them at the same time.
      ORDER BY v.app, v.user_key COLLATE "C" FOR UPDATE OF v) AS t
    WHERE v.app = t.app AND v.user_key = t.user_key
    RETURNING v.app, v.user_key, v.device_id, v.psid
    """)

  /// Uses the unexpired vouchers that match a presented device, and returns the devices vouched for: one for each
  /// voucher. From then on a voucher matches only that device with that token, and expires within two minutes: a client
  /// whose answer was lost may repeat its registration.
  package static func use(_ presented: [Presented], at now: Timestamp) -> Query<Set<Presented>> {
    var parameters = Users.keys(presented.map(\.user))
    var (installations, psids) = (TextColumn(), TextColumn())
    for one in presented {
      installations.append(one.installation)
      psids.append(one.psid)
    }
    parameters.append(installations)
    parameters.append(psids)
    parameters.append(now)
    parameters.append(now + .seconds(secondsForRepeats))
    return Query(useStatement, parameters) { rows in
      Set(
        rows.decode {
          Presented(
            user: Users.Key(app: $0.int32(), userKey: $0.userKey()), installation: $0.text(), psid: $0.text())
        })
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
