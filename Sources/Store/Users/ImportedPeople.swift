package import Domain
internal import Postgres

/// People as files bring them in.
package enum ImportedPeople {
  package struct Person: Sendable {
    package let user: UserKey
    /// Empty: the name that the user has stays.
    package let name: String
    /// Added to those that the user has; in order, each once.
    package let tags: [String]

    package init(user: UserKey, name: String, tags: [String]) {
      self.user = user
      self.name = name
      self.tags = tags
    }
  }

  /// Stands between tags, which hold no control characters.
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

  /// Each user once. Fails with `users_tags_are_few` when somebody would have too many.
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

  /// Users who would have more tags than `limit`.
  package static func overloaded(_ people: [Person], of app: App.Number, limit: Int) -> Query<Set<UserKey>> {
    var parameters = columns(people, app)
    parameters.append(limit)
    return Query(overloadedStatement, parameters) { rows in Set(rows.map { rows.userKey($0, 0) }) }
  }

  private static func columns(_ people: [Person], _ app: App.Number) -> Parameters {
    var (keys, names, tags) = (TextColumn(), TextColumn(), TextColumn())
    for person in people {
      keys.append(person.user.text)
      names.append(person.name)
      tags.append(person.tags.joined(separator: separator))
    }
    var parameters = Parameters()
    parameters.append(app)
    parameters.append(texts: keys)
    parameters.append(texts: names)
    parameters.append(texts: tags)
    return parameters
  }

  // MARK: As files take them out

  package struct Line: Sendable {
    package let user: UserKey
    package let name: String
    package let badge: Int16
    /// Active ones.
    package let devices: Int64
    /// GROUPSEQs, between semicolons.
    package let groups: String
    /// Between semicolons.
    package let tags: String
  }

  private static let linesStatement = Statement(
    "imported-people-lines",
    """
    SELECT u.user_key, u.name, u.badge, (
        SELECT count(*) FROM devices d WHERE d.app = u.app AND d.user_key = u.user_key AND d.state = 1),
      coalesce((SELECT string_agg(m.groupseq::text, ';' ORDER BY m.groupseq) FROM group_members m
        WHERE m.app = u.app AND m.user_key = u.user_key), ''), array_to_string(u.tags, ';')
    FROM users u
    -- Keys sort by their bytes, so what begins alike stands together.
    WHERE u.app = $1 AND u.user_key > $2 AND u.user_key >= $3 AND u.user_key < $4 ORDER BY u.user_key LIMIT $5
    """)

  /// Users whose key is in [from, upto), by key after one.
  package static func lines(
    of app: App.Number, after key: String, from: String, upto: String, limit: Int
  ) -> Query<[Line]> {
    var parameters = Parameters()
    parameters.append(app)
    parameters.append(text: key)
    parameters.append(text: from)
    parameters.append(text: upto)
    parameters.append(limit)
    return Query(linesStatement, parameters) { rows in
      rows.map { row in
        Line(
          user: rows.userKey(row, 0), name: rows.text(row, 1), badge: rows.int16(row, 2), devices: rows.int64(row, 3),
          groups: rows.text(row, 4), tags: rows.text(row, 5))
      }
    }
  }
}
