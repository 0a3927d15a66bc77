package import Domain
internal import Postgres

/// Users and guests with their badge count.
package enum Users {
  package struct Key: Hashable, Sendable {
    package let app: App.Number
    package let userKey: UserKey

    package init(app: App.Number, userKey: UserKey) {
      self.app = app
      self.userKey = userKey
    }
  }

  private static let lockStatement = Statement(
    "users-lock",
    """
    INSERT INTO users (app, user_key)
    SELECT app, user_key FROM unnest($1, $2) AS t(app, user_key) ORDER BY app, user_key COLLATE "C"
    ON CONFLICT (app, user_key) DO UPDATE SET badge = users.badge
    RETURNING app, user_key, badge
    """)

  /// Locks users, making those that are new, and answers their counts.
  package static func lock(_ users: some Collection<Key>) -> Query<[Key: Int16]> {
    Query(lockStatement, keys(users), read: counts)
  }

  private static let saveCountsStatement = Statement(
    "users-save-counts",
    """
    INSERT INTO users (app, user_key, badge)
    SELECT * FROM unnest($1, $2, $3) AS t(app, user_key, badge) ORDER BY app, user_key COLLATE "C"
    ON CONFLICT (app, user_key) DO UPDATE SET badge = excluded.badge
    """)

  /// Writes counts of users that are locked.
  package static func saveCounts(_ counts: [(key: Key, badge: Int16)]) -> Query<Void> {
    var parameters = keys(counts.map(\.key))
    var badges = Int16Column()
    for count in counts { badges.append(count.badge) }
    parameters.append(int16s: badges)
    return Query(saveCountsStatement, parameters) { _ in }
  }

  private static let moveStatement = Statement(
    "users-move",
    """
    INSERT INTO users (app, user_key, badge)
    SELECT app, user_key, $3 FROM unnest($1, $2) AS t(app, user_key) ORDER BY app, user_key COLLATE "C"
    ON CONFLICT (app, user_key) DO UPDATE SET badge = least(excluded.badge + CASE WHEN $4 THEN users.badge ELSE 0 END, $5)
    RETURNING app, user_key, badge
    """)

  /// Raises the counts of users, as far as a count goes, making those that are new; answers the new counts.
  package static func raise(_ users: [Key], by increment: Int16) -> Query<[Key: Int16]> {
    move(users, increment, keeping: true)
  }

  /// Sets the counts of users, making those that are new; answers the new counts.
  package static func set(_ users: [Key], to count: Int16) -> Query<[Key: Int16]> {
    move(users, count, keeping: false)
  }

  private static func move(_ users: [Key], _ number: Int16, keeping: Bool) -> Query<[Key: Int16]> {
    var parameters = keys(users)
    parameters.append(number)
    parameters.append(keeping)
    parameters.append(Domain.Limits.badgeCount.upperBound)
    return Query(moveStatement, parameters, read: counts)
  }

  private static let nameStatement = Statement(
    "users-name",
    """
    INSERT INTO users (app, user_key, name)
    SELECT * FROM unnest($1, $2, $3) AS t(app, user_key, name) ORDER BY app, user_key COLLATE "C"
    ON CONFLICT (app, user_key) DO UPDATE SET name = excluded.name
    RETURNING app, user_key, badge
    """)

  /// Locks users as `lock` does and gives them names.
  package static func name(_ names: [(key: Key, name: String)]) -> Query<[Key: Int16]> {
    var parameters = keys(names.map(\.key))
    var column = TextColumn()
    for entry in names { column.append(entry.name) }
    parameters.append(texts: column)
    return Query(nameStatement, parameters, read: counts)
  }

  private static let findStatement = Statement(
    "users-find",
    "SELECT app, user_key, badge, name FROM users WHERE (app, user_key) IN (SELECT * FROM unnest($1, $2))")

  /// Counts and names, unlocked; users without a row are missing (count 0, no name).
  package static func find(_ users: some Collection<Key>) -> Query<[Key: (badge: Int16, name: String)]> {
    Query(findStatement, keys(users)) { rows in
      var found: [Key: (badge: Int16, name: String)] = [:]
      for row in 0..<rows.count {
        found[Key(app: rows.int32(row, 0), userKey: rows.userKey(row, 1))] = (rows.int16(row, 2), rows.text(row, 3))
      }
      return found
    }
  }

  private static let forgetGuestsStatement = Statement(
    "users-forget-guests",
    """
    WITH guests AS (SELECT * FROM unnest($1, $2) AS t(app, user_key)),
    members AS (DELETE FROM group_members m USING guests g WHERE m.app = g.app AND m.user_key = g.user_key),
    ledger AS (DELETE FROM badge_ledger l USING guests g WHERE l.app = g.app AND l.user_key = g.user_key)
    DELETE FROM users u USING guests g WHERE u.app = g.app AND u.user_key = g.user_key
    """)

  /// Ends what guests had: count, ledger, memberships. For devices that become a user's.
  package static func forgetGuests(_ guests: some Collection<Key>) -> Query<Void> {
    Query(forgetGuestsStatement, keys(guests)) { _ in }
  }

  static func keys(_ users: some Collection<Key>) -> Parameters {
    var apps = Int32Column()
    var names = TextColumn()
    for user in users {
      apps.append(user.app)
      names.append(user.userKey.text)
    }
    var parameters = Parameters()
    parameters.append(int32s: apps)
    parameters.append(texts: names)
    return parameters
  }

  static func counts(_ rows: Rows) -> [Key: Int16] {
    var counts: [Key: Int16] = [:]
    for row in 0..<rows.count {
      counts[Key(app: rows.int32(row, 0), userKey: rows.userKey(row, 1))] = rows.int16(row, 2)
    }
    return counts
  }
}
