package import Domain
internal import Postgres

/// The import of users from files, and their export.
package enum ImportedPeople {
  package struct Person: Sendable {
    package let user: UserKey
    /// The user's name; empty to keep the current one.
    package let name: String
    /// Tags to add to those that the user has; sorted, without duplicates.
    package let tags: [String]

    package init(user: UserKey, name: String, tags: [String]) {
      self.user = user
      self.name = name
      self.tags = tags
    }
  }

  /// Separates tags in a column of text. Tags contain no control characters.
  private static let separator = "\u{1F}"

  private static let saveStatement = Statement(
    "imported-people-save",
    """
    INSERT INTO users (app, user_key, name, tags)
    SELECT $1, user_key, name, coalesce(string_to_array(nullif(tags, ''), chr(31)), '{}')
    FROM unnest($2, $3, $4) AS t(user_key, name, tags) ORDER BY user_key COLLATE "C"
    ON CONFLICT (app, user_key) DO UPDATE SET
      name = CASE WHEN excluded.name <> '' THEN excluded.name ELSE users.name END,
      tags = ARRAY(
        SELECT tag FROM unnest(users.tags || excluded.tags) AS kept(tag) GROUP BY tag ORDER BY tag COLLATE "C")
    -- Who is there already, as the file says, is left alone.
    WHERE (excluded.name <> '' AND users.name <> excluded.name) OR NOT users.tags @> excluded.tags
    """)

  /// Creates users, or updates existing ones: replaces the name, unless the new one is empty, and adds the tags. The
  /// users must be distinct. Fails with a violation of `users_tags_are_few` if a user would have more than 100 tags.
  package static func save(_ people: [Person], of app: App.Number) -> Query<Void> {
    Query(saveStatement, columns(people, app)) { _ in }
  }

  private static let overloadedStatement = Statement(
    "imported-people-overloaded",
    """
    SELECT t.user_key FROM unnest($2, $3, $4) AS t(user_key, name, tags)
    JOIN users u ON u.app = $1 AND u.user_key = t.user_key
    WHERE t.tags <> '' AND (
      SELECT count(DISTINCT tag) FROM unnest(u.tags || string_to_array(t.tags, chr(31))) AS kept(tag)) > $5
    """)

  /// Returns the existing users that would have more than `limit` tags after `save`. The caller counts the tags of
  /// users that `save` creates. `people` must be distinct.
  package static func overloaded(_ people: [Person], of app: App.Number, limit: Int) -> Query<Set<UserKey>> {
    var parameters = columns(people, app)
    parameters.append(limit)
    return Query(overloadedStatement, parameters) { rows in Set(rows.decode { $0.userKey() }) }
  }

  private static func columns(_ people: [Person], _ app: App.Number) -> Parameters {
    var (keys, names, tags) = (TextColumn(), TextColumn(), TextColumn())
    for person in people {
      keys.append(person.user.text)
      names.append(person.name)
      tags.append(person.tags.joined(separator: separator))
    }
    return Parameters(app, keys, names, tags)
  }

  // MARK: Export

  package struct Line: Sendable {
    package let user: UserKey
    package let name: String
    package let badge: Int16
    /// Number of active devices.
    package let devices: Int64
    /// GROUPSEQs of the user's groups, separated by semicolons.
    package let groups: String
    /// The user's tags, separated by semicolons.
    package let tags: String
  }

  private static let linesStatement = Statement(
    "imported-people-lines",
    """
    SELECT u.user_key, u.name, u.badge, (
        SELECT count(*) FROM devices d WHERE d.app = u.app AND d.user_key = u.user_key
          AND d.state = \(Devices.State.active.sql)),
      coalesce((SELECT string_agg(m.groupseq::text, ';' ORDER BY m.groupseq) FROM group_members m
        -- The members of a deleted group may still be there.
        JOIN groups g ON g.groupseq = m.groupseq WHERE m.app = u.app AND m.user_key = u.user_key), ''),
      array_to_string(u.tags, ';')
    FROM users u
    -- Keys sort by their bytes, so what begins alike stands together.
    WHERE u.app = $1 AND u.user_key > $2 AND u.user_key >= $3 AND u.user_key < $4 ORDER BY u.user_key LIMIT $5
    """)

  /// Returns at most `limit` users with keys in [from, upto), in ascending order of key, starting after `key`.
  package static func lines(
    of app: App.Number, after key: String, from: String, upto: String, limit: Int
  ) -> Query<[Line]> {
    Query(each: linesStatement, app, key, from, upto, limit) { row in
      Line(
        user: row.userKey(), name: row.text(), badge: row.int16(), devices: row.int64(),
        groups: row.text(), tags: row.text())
    }
  }
}
