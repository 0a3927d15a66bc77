package import Domain
internal import Postgres
package import Time

/// Groups, the rules for joining them, and the memberships of users.
package enum Groups {
  package typealias Number = Int64

  private static let joinRulesStatement = Statement(
    "groups-join-rules", "SELECT groupseq, app, is_joinable FROM groups WHERE groupseq = ANY($1)")

  /// The properties of a group that decide whether a device may join it.
  package struct JoinRule: Sendable {
    package let app: App.Number
    /// True if devices may join on their own.
    package let isOpen: Bool
  }

  /// Returns the join rules by group; groups that do not exist are omitted.
  package static func joinRules(of groups: some Collection<Number>) -> Query<[Number: JoinRule]> {
    Query(joinRulesStatement, column(groups)) {
      $0.dictionary { row in
        (row.int64(), JoinRule(app: row.int32(), isOpen: row.bool()))
      }
    }
  }

  private static let holdStatement = Statement(
    "groups-hold", "SELECT groupseq FROM groups WHERE groupseq = ANY($1) ORDER BY groupseq FOR KEY SHARE")

  /// Prevents the deletion of groups (`GroupTree.lock`) until the transaction ends, in which users join them or
  /// messages to them are stored. Returns those of the groups that exist.
  package static func hold(_ groups: some Collection<Number>) -> Query<Set<Number>> {
    Query(holdStatement, column(groups)) { rows in Set(rows.decode { $0.int64() }) }
  }

  package struct Membership: Hashable, Sendable {
    package let user: Users.Key
    package let group: Number

    package init(user: Users.Key, group: Number) {
      self.user = user
      self.group = group
    }
  }

  private static let joinStatement = Statement(
    "groups-join",
    """
    INSERT INTO group_members (app, user_key, groupseq, joined_at)
    SELECT app, user_key, groupseq, $4 FROM unnest($1, $2, $3) AS t(app, user_key, groupseq)
    ORDER BY app, user_key COLLATE "C", groupseq
    ON CONFLICT (app, user_key, groupseq) DO NOTHING
    """)

  package static func join(_ memberships: [Membership], at now: Timestamp) -> Query<Void> {
    var parameters = columns(memberships)
    parameters.append(now)
    return Query(joinStatement, parameters) { _ in }
  }

  private static let leaveStatement = Statement(
    "groups-leave",
    """
    DELETE FROM group_members WHERE (app, user_key, groupseq) IN (SELECT * FROM unnest($1, $2, $3))
    """)

  package static func leave(_ memberships: [Membership]) -> Query<Void> {
    Query(leaveStatement, columns(memberships)) { _ in }
  }

  private static let ofUsersStatement = Statement(
    "groups-of-users",
    """
    SELECT m.app, m.user_key, m.groupseq, g.name FROM group_members m JOIN groups g ON g.groupseq = m.groupseq
    WHERE (m.app, m.user_key) IN (SELECT * FROM unnest($1, $2)) ORDER BY m.groupseq
    """)

  /// Returns the groups of each user in ascending order of number. Users without groups are omitted.
  package static func ofUsers(_ users: some Collection<Users.Key>) -> Query<
    [Users.Key: [(group: Number, name: String)]]
  > {
    Query(ofUsersStatement, Users.keys(users)) { rows in
      var groups: [Users.Key: [(group: Number, name: String)]] = [:]
      rows.forEach { row in
        let user = Users.Key(app: row.int32(), userKey: row.userKey())
        groups[user, default: []].append((row.int64(), row.text()))
      }
      return groups
    }
  }

  private static let createStatement = Statement(
    "groups-create",
    "INSERT INTO groups (app, name, parent, is_joinable) VALUES ($1, $2, $3, $4) RETURNING groupseq")

  package static func create(app: App.Number, name: String, parent: Number?, isJoinable: Bool = true)
    -> Query<Number>
  {
    return Query(one: createStatement, app, name, parent, isJoinable) { $0.int64() }
  }

  static func column(_ groups: some Collection<Number>) -> Int64Column {
    var column = Int64Column()
    for group in groups { column.append(group) }
    return column
  }

  private static func columns(_ memberships: [Membership]) -> Parameters {
    var parameters = Users.keys(memberships.map(\.user))
    var groups = Int64Column()
    for membership in memberships { groups.append(membership.group) }
    parameters.append(groups)
    return parameters
  }
}
