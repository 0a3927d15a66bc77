package import Domain
internal import Postgres
package import Time

/// The groups of an app as a tree, and their members: paged lists and changes.
package enum GroupTree {
  package struct Record: Sendable {
    package let group: Groups.Number
    package let app: App.Number
    package let appID: String
    package let name: String
    package let parent: Groups.Number?
    package let createdAt: Timestamp
    package let hasGroups: Bool
    /// True if devices may join the group on their own.
    package let isJoinable: Bool
    /// Number of direct members; nil if there are more than `countedMembers`.
    package let members: Int64?
    /// The names of the groups above it, from the top, as a JSON array.
    package let above: String
  }

  /// Maximum number of members that lists count exactly.
  package static let countedMembers = 10000
  /// Maximum number of members that are deleted in one transaction with their group.
  package static let deletedMembers = 10000

  private static let columnList = """
    g.groupseq, g.app, a.app_id, g.name, g.parent, g.created_at,
    EXISTS (SELECT FROM groups c WHERE c.app = g.app AND c.parent = g.groupseq), g.is_joinable,
    (SELECT count(*) FROM (
      SELECT FROM group_members m WHERE m.app = g.app AND m.groupseq = g.groupseq
      -- Counting a large group would keep the reader waiting.
      LIMIT \(countedMembers) + 1) counted),
    coalesce((
      WITH RECURSIVE above AS (
        SELECT p.name, p.parent, 1 AS height FROM groups p WHERE p.groupseq = g.parent
        UNION ALL
        SELECT p.name, p.parent, height + 1 FROM groups p JOIN above b ON p.groupseq = b.parent
      ) SELECT to_json(array_agg(name ORDER BY height DESC))::text FROM above), '[]')
    """

  private static func list(_ name: String, _ below: String) -> Statement {
    Statement(
      name,
      """
      SELECT \(columnList) FROM groups g JOIN apps a ON a.app = g.app
      WHERE g.app = $1 AND \(below) AND g.name > $2 ORDER BY g.name LIMIT $3
      """)
  }

  private static let atTopStatement = list("group-tree-at-top", "g.parent IS NULL")
  private static let belowStatement = list("group-tree-below", "g.parent = $4")

  /// Returns at most `limit` groups in ascending order of name, by the database's collation, starting after `name`
  /// (empty for the first): the direct subgroups of `parent`, or the top-level groups if `parent` is nil.
  package static func list(
    of app: App.Number, below parent: Groups.Number?, after name: String, limit: Int
  ) -> Query<[Record]> {
    var parameters = Parameters()
    parameters.append(app)
    parameters.append(name)
    parameters.append(limit)
    if let parent { parameters.append(parent) }
    return Query(parent == nil ? atTopStatement : belowStatement, parameters, read: records)
  }

  private static let searchStatement = Statement(
    "group-tree-search",
    """
    SELECT \(columnList) FROM (
      SELECT * FROM groups WHERE app = $1 AND groupseq > $2 ORDER BY groupseq LIMIT $3) g
    JOIN apps a ON a.app = g.app WHERE g.name ILIKE $4 ORDER BY g.groupseq LIMIT $5
    """)

  /// Returns at most `limit` groups of an app, on all levels, whose names contain `text`, ignoring case, in ascending
  /// order of number, starting after `group` (0 for the first). Searches only the first `window` groups after it, so
  /// there can be a next page even after an empty one (`edge`).
  package static func search(
    of app: App.Number, named text: String, after group: Groups.Number, window: Int, limit: Int
  ) -> Query<[Record]> {
    Query(searchStatement, app, group, window, MessageLists.pattern(text), limit, read: records)
  }

  private static let edgeStatement = Statement(
    "group-tree-edge",
    "SELECT groupseq FROM groups WHERE app = $1 AND groupseq > $2 ORDER BY groupseq OFFSET $3 - 1 LIMIT 1")

  /// Returns the last group that a search of `window` groups covers; the next page continues after it. Nil if there are
  /// fewer groups.
  package static func edge(of app: App.Number, after group: Groups.Number, window: Int) -> Query<Groups.Number?> {
    Query(first: edgeStatement, app, group, window) { $0.int64() }
  }

  private static let findStatement = Statement(
    "group-tree-find",
    "SELECT \(columnList) FROM groups g JOIN apps a ON a.app = g.app WHERE g.groupseq = $1")

  package static func find(_ group: Groups.Number) -> Query<Record?> {
    Query(findStatement, group) { records($0).first }
  }

  /// Returns `count`, or nil if it exceeds `countedMembers`.
  private static func members(_ count: Int64) -> Int64? {
    count > countedMembers ? nil : count
  }

  private static func records(_ rows: Rows) -> [Record] {
    rows.decode { row in
      Record(
        group: row.int64(), app: row.int32(), appID: row.text(), name: row.text(), parent: row.optionalInt64(),
        createdAt: row.timestamp(), hasGroups: row.bool(), isJoinable: row.bool(), members: members(row.int64()),
        above: row.text())
    }
  }

  // MARK: Changes

  private static let lockTreeStatement = Statement(
    "group-tree-lock-tree", "SELECT FROM apps WHERE app = $1 FOR NO KEY UPDATE")

  /// Locks the app's row, so that other callers of this function wait until the transaction ends. Without the lock, two
  /// concurrent moves could form a cycle.
  package static func lockTree(of app: App.Number) -> Query<Void> {
    Query(lockTreeStatement, app) { _ in }
  }

  private static let lockStatement = Statement(
    "group-tree-lock", "SELECT FROM groups WHERE groupseq = $1 FOR UPDATE")

  /// Locks a group until the transaction ends. Waits for transactions in which users join it (`Groups.hold`), whose
  /// memberships the next statement sees.
  package static func lock(_ group: Groups.Number) -> Query<Void> {
    Query(lockStatement, group) { _ in }
  }

  private static let lineStatement = Statement(
    "group-tree-line",
    """
    WITH RECURSIVE above AS (
      SELECT groupseq, parent FROM groups WHERE groupseq = $1
      UNION SELECT g.groupseq, g.parent FROM groups g JOIN above b ON g.groupseq = b.parent
    ) SELECT groupseq FROM above
    """)

  /// Returns a group and all groups above it, in no particular order; none if the group does not exist.
  package static func line(of group: Groups.Number) -> Query<Set<Groups.Number>> {
    Query(lineStatement, group) { rows in Set(rows.decode { $0.int64() }) }
  }

  private static let changeStatement = Statement(
    "group-tree-change", "UPDATE groups SET name = $2, parent = $3, is_joinable = $4 WHERE groupseq = $1")

  /// Sets a group's name, parent (nil for the top level) and joinability. Fails with a violation of
  /// `groups_name_is_unique_below_parent` if another group below the new parent has the same name. Does not check for
  /// cycles; changes nothing if the group does not exist.
  package static func change(
    _ group: Groups.Number, name: String, parent: Groups.Number?, isJoinable: Bool
  ) -> Query<Void> {
    Query(changeStatement, group, name, parent, isJoinable) { _ in }
  }

  private static let deleteStatement = Statement(
    "group-tree-delete",
    """
    WITH members AS (
      DELETE FROM group_members WHERE (app, user_key, groupseq) IN (
        SELECT app, user_key, groupseq FROM group_members WHERE app = $1 AND groupseq = $2
        -- All members of a large group would keep the app's other groups waiting.
        LIMIT \(deletedMembers))),
    gone AS (DELETE FROM groups WHERE app = $1 AND groupseq = $2)
    SELECT count(*) FROM group_members WHERE app = $1 AND groupseq = $2
    """)

  /// Deletes a group with its memberships; the caller must have locked it (`lock`). `Retention` deletes the memberships
  /// beyond `deletedMembers`, which nothing reads without the group. Returns the number of memberships that there were,
  /// which is 0 also if the group does not exist. Fails with a violation of `groups_parent_fkey` if the group has
  /// subgroups.
  package static func delete(_ group: Groups.Number, of app: App.Number) -> Query<Int64> {
    Query(one: deleteStatement, app, group) { $0.int64() }
  }

  // MARK: Members

  package struct Member: Sendable {
    package let userKey: UserKey
    package let name: String
    package let joinedAt: Timestamp
  }

  private static let membersStatement = Statement(
    "group-tree-members",
    """
    SELECT m.user_key, coalesce(u.name, ''), m.joined_at FROM (
      SELECT * FROM group_members WHERE app = $1 AND groupseq = $2 AND user_key > $3 ORDER BY user_key LIMIT $4) m
    LEFT JOIN users u ON u.app = m.app AND u.user_key = m.user_key ORDER BY m.user_key
    """)

  /// Returns at most `limit` members of a group in ascending order of user key, starting after `key` (empty for the
  /// first). The name is empty if it is not known.
  package static func members(
    of group: Groups.Number, app: App.Number, after key: String, limit: Int
  ) -> Query<[Member]> {
    Query(each: membersStatement, app, group, key, limit) { row in
      Member(userKey: row.userKey(), name: row.text(), joinedAt: row.timestamp())
    }
  }

  private static let knownStatement = Statement(
    "group-tree-known",
    "SELECT user_key FROM users WHERE app = $1 AND user_key = ANY($2)")

  /// Returns those of the given users that have a row in `users` for this app.
  package static func known(_ users: some Collection<UserKey>, of app: App.Number) -> Query<Set<UserKey>> {
    var column = TextColumn()
    for user in users { column.append(user.text) }
    return Query(knownStatement, app, column) { rows in Set(rows.decode { $0.userKey() }) }
  }
}
