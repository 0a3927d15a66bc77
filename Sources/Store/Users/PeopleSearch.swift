package import Domain
internal import Postgres

/// Searches for users by key or name, in all apps at once or in one app. A search reads at most `limit` users of each
/// app, from an index.
package enum PeopleSearch {
  package struct Found: Sendable {
    package let app: App.Number
    package let appID: String
    package let user: PeopleLists.User
  }

  private static let columns = """
    a.app, a.app_id, u.user_key, u.name, u.badge, (
      SELECT count(*) FROM devices d WHERE d.app = a.app AND d.user_key = u.user_key
        AND d.state = \(Devices.State.active.sql))
    """

  private static let byKeyStatement = Statement(
    "people-search-key",
    """
    SELECT \(columns) FROM (
      SELECT a.app, u.user_key, u.name, u.badge FROM apps a CROSS JOIN LATERAL (
        SELECT user_key, name, badge FROM users WHERE users.app = a.app AND user_key >= $1 AND user_key < $2
        ORDER BY user_key LIMIT $3) u
      WHERE $4::integer IS NULL OR a.app = $4
      ORDER BY u.user_key, a.app LIMIT $3) u
    JOIN apps a ON a.app = u.app ORDER BY u.user_key, a.app
    """)

  /// Returns at most `limit` users with keys in [from, upto), in order of key and app.
  /// - Parameter app: the only app to search; nil for all.
  package static func users(of app: App.Number?, from: String, upto: String, limit: Int) -> Query<[Found]> {
    query(byKeyStatement, app, from, upto, limit)
  }

  private static let namedStatement = Statement(
    "people-search-name",
    """
    SELECT \(columns) FROM (
      SELECT a.app, u.user_key, u.name, u.badge FROM apps a CROSS JOIN LATERAL (
        SELECT user_key, name, badge FROM users WHERE users.app = a.app AND name <> ''
          AND name COLLATE "C" >= $1 AND name COLLATE "C" < $2
        ORDER BY name COLLATE "C", user_key LIMIT $3) u
      WHERE $4::integer IS NULL OR a.app = $4
      ORDER BY u.name COLLATE "C", u.user_key, a.app LIMIT $3) u
    JOIN apps a ON a.app = u.app ORDER BY u.name COLLATE "C", u.user_key, a.app
    """)

  /// Returns at most `limit` users with names in [from, upto), compared by their bytes, in ascending order of name, key
  /// and app. Omits users without a name.
  /// - Parameter app: the only app to search; nil for all.
  package static func users(
    of app: App.Number?, namedFrom from: String, upto: String, limit: Int
  ) -> Query<[Found]> {
    query(namedStatement, app, from, upto, limit)
  }

  private static func query(
    _ statement: Statement, _ app: App.Number?, _ from: String, _ upto: String, _ limit: Int
  ) -> Query<[Found]> {
    return Query(each: statement, from, upto, limit, app) { row in
      Found(
        app: row.int32(), appID: row.text(),
        user: PeopleLists.User(
          userKey: row.userKey(), name: row.text(), badge: row.int16(),
          devices: row.int64()))
    }
  }
}
