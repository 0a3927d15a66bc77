package import Domain
internal import Postgres

/// An app's test groups: named lists of users to whom trial messages are sent. Each user in a group is a row, so that
/// erasing a person removes the person here too. Decision 138.
package enum TestRecipients {
  /// A named list of users.
  package struct Group: Equatable, Sendable {
    package var name: String
    package var users: [UserKey]

    package init(name: String, users: [UserKey]) {
      self.name = name
      self.users = users
    }
  }

  private static let listStatement = Statement(
    "test-recipients-list",
    "SELECT group_name, user_key FROM test_recipients WHERE app = $1 ORDER BY group_name, place")

  /// Returns an app's groups in the order of their names, each with its users in the order in which they were saved.
  /// Empty if the app has none.
  package static func list(_ app: App.Number) -> Query<[Group]> {
    Query(listStatement, app) { rows in
      var groups: [Group] = []
      rows.forEach { row in
        let name = row.text()
        if groups.last?.name != name { groups.append(Group(name: name, users: [])) }
        groups[groups.count - 1].users.append(row.userKey())
      }
      return groups
    }
  }

  private static let clearStatement = Statement(
    "test-recipients-clear", "DELETE FROM test_recipients WHERE app = $1")

  private static let addStatement = Statement(
    "test-recipients-add",
    """
    INSERT INTO test_recipients (app, group_name, user_key, place)
    SELECT $1, group_name, user_key, place FROM unnest($2, $3, $4) AS t(group_name, user_key, place)
    """)

  /// Returns the queries that replace all groups of an app, to be run in this order in one transaction. A group without
  /// users is not stored. The second query fails if a group contains a user twice, or if two groups with the same name
  /// share a user.
  package static func replace(_ groups: [Group], of app: App.Number) -> [Query<Void>] {
    var (names, users) = (TextColumn(), TextColumn())
    var places = Int32Column()
    for group in groups {
      for (place, user) in group.users.enumerated() {
        names.append(group.name)
        users.append(user.text)
        places.append(Int32(place))
      }
    }
    var cleared = Parameters()
    cleared.append(app)
    var added = cleared
    added.append(names)
    added.append(users)
    added.append(places)
    return [Query(clearStatement, cleared) { _ in }, Query(addStatement, added) { _ in }]
  }
}
