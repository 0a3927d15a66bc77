package import Domain
internal import Postgres

/// Lists of an app's groups and of their members.
extension Groups {
  package struct Entry: Sendable {
    package let group: Number
    package let name: String
    package let parent: Number?
  }

  private static let listStatement = Statement(
    "groups-list",
    "SELECT groupseq, name, parent FROM groups WHERE app = $1 AND groupseq > $2 ORDER BY groupseq LIMIT $3")

  /// Returns at most `limit` groups of an app in ascending order of number, starting after `group` (0 for the first).
  package static func list(app: App.Number, after group: Number, limit: Int) -> Query<[Entry]> {
    Query(each: listStatement, app, group, limit) { row in
      Entry(group: row.int64(), name: row.text(), parent: row.optionalInt64())
    }
  }

  private static let usersStatement = Statement(
    "groups-users",
    """
    SELECT m.user_key, coalesce(u.name, '') FROM group_members m
    LEFT JOIN users u ON u.app = m.app AND u.user_key = m.user_key
    WHERE m.app = $1 AND m.groupseq = $2 AND m.user_key > $3 ORDER BY m.user_key LIMIT $4
    """)

  /// Returns at most `limit` members of a group in ascending order of user key, starting after `key` (empty for the
  /// first). The name is empty if it is not known.
  package static func users(
    app: App.Number, in group: Number, after key: String, limit: Int
  ) -> Query<[(userKey: UserKey, name: String)]> {
    Query(each: usersStatement, app, group, key, limit) { ($0.userKey(), $0.text()) }
  }
}
