package import Domain
internal import Postgres

/// Users and guests (devices without a user), with their badge counts.
///
/// A count is either changed by an amount (a message adds to it, a read subtracts from it) or set to a value.
/// `set_seqno` records when a count was set, so that nothing that was added before is taken back later: see
/// `Increments`.
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
    RETURNING app, user_key, badge, set_seqno
    """)

  /// A user's current count.
  package struct Count: Sendable {
    package var badge: Int16
    /// At least the highest SEQNO assigned when the count was last set, and higher with each set; nil if it was never
    /// set.
    package var setSeqno: Seqno?
    /// The user's name; nil unless the query reads names.
    package var name: String?

    /// Returns false if the count was certainly not set after the SEQNO was assigned to a message. True means that it
    /// may have been: each set raises `setSeqno`, even past the highest SEQNO assigned. In that case, the message's
    /// ledger entry records whether its increment was added after the set.
    package func wasSet(since seqno: Seqno) -> Bool {
      setSeqno.map { $0 >= seqno } ?? false
    }
  }

  /// Locks users in key order until the transaction ends, creating missing ones with a count of 0, and returns their
  /// counts.
  package static func lock(_ users: some Collection<Key>) -> Query<[Key: Count]> {
    Query(lockStatement, keys(users), read: counts)
  }

  private static let saveCountsStatement = Statement(
    "users-save-counts",
    """
    INSERT INTO users (app, user_key, badge)
    SELECT * FROM unnest($1, $2, $3) AS t(app, user_key, badge) ORDER BY app, user_key COLLATE "C"
    ON CONFLICT (app, user_key) DO UPDATE SET badge = excluded.badge
    """)

  /// Stores counts that were changed by an amount, creating missing users. The caller holds the users' row locks.
  package static func saveCounts(_ counts: [(key: Key, badge: Int16)]) -> Query<Void> {
    var parameters = keys(counts.map(\.key))
    var badges = Int16Column()
    for count in counts { badges.append(count.badge) }
    parameters.append(badges)
    return Query(saveCountsStatement, parameters) { _ in }
  }

  private static let setCountsStatement = Statement(
    "users-set-counts",
    """
    INSERT INTO users (app, user_key, badge, set_seqno)
    SELECT app, user_key, badge, coalesce(pg_sequence_last_value('messages_seqno_seq'), 0)
    FROM unnest($1, $2, $3) AS t(app, user_key, badge) ORDER BY app, user_key COLLATE "C"
    -- Asked again for each row, behind its lock: whoever counted before has its SEQNO by then.
    ON CONFLICT (app, user_key) DO UPDATE SET badge = excluded.badge,
      set_seqno = greatest(coalesce(pg_sequence_last_value('messages_seqno_seq'), 0), users.set_seqno + 1)
    RETURNING app, user_key, badge, set_seqno
    """)

  /// Sets users' counts to a value, creating missing users, and raises `set_seqno`, so that earlier increments are not
  /// taken back. Returns the new counts.
  package static func setCounts(_ counts: [(key: Key, badge: Int16)]) -> Query<[Key: Count]> {
    var parameters = keys(counts.map(\.key))
    var badges = Int16Column()
    for count in counts { badges.append(count.badge) }
    parameters.append(badges)
    return Query(setCountsStatement, parameters, read: Self.counts)
  }

  /// A user's name and phone number, as a device or server reported them.
  package struct Said: Equatable, Sendable {
    package let name: String
    /// The phone number, encrypted; nil if none was reported.
    package let phone: [UInt8]?

    package init(name: String, phone: [UInt8]?) {
      self.name = name
      self.phone = phone
    }
  }

  private static let nameStatement = Statement(
    "users-name",
    """
    INSERT INTO users (app, user_key, name, phone)
    SELECT * FROM unnest($1, $2, $3, $4) AS t(app, user_key, name, phone) ORDER BY app, user_key COLLATE "C"
    ON CONFLICT (app, user_key) DO UPDATE
      -- Whoever only knows a CUID must not put words into messages to its owner, nor have them sent to a telephone of his
      -- own: the first name and number stay.
      SET name = CASE WHEN users.name = '' THEN excluded.name ELSE users.name END,
        phone = coalesce(users.phone, excluded.phone)
    RETURNING app, user_key, badge, set_seqno, name
    """)

  private static let renameStatement = Statement(
    "users-rename",
    """
    INSERT INTO users (app, user_key, name, phone)
    SELECT * FROM unnest($1, $2, $3, $4) AS t(app, user_key, name, phone) ORDER BY app, user_key COLLATE "C"
    ON CONFLICT (app, user_key) DO UPDATE
      -- The SDK sends every parameter: an empty name says nothing.
      SET name = CASE WHEN excluded.name = '' THEN users.name ELSE excluded.name END,
        phone = coalesce(excluded.phone, users.phone)
    RETURNING app, user_key, badge, set_seqno, name
    """)

  /// Locks users as `lock` does, creating missing ones, and stores names and phone numbers where none is known. Returns
  /// the users' counts and resulting names.
  /// - Parameter renames: whether to replace known values too, because the caller has proved the new ones. An empty
  ///   name and a missing phone number never replace a known value.
  package static func name(_ names: [(key: Key, said: Said)], renames: Bool) -> Query<[Key: Count]> {
    var parameters = keys(names.map(\.key))
    var (column, phones) = (TextColumn(), BytesColumn())
    for entry in names {
      column.append(entry.said.name)
      phones.append(entry.said.phone)
    }
    parameters.append(column)
    parameters.append(phones)
    return Query(renames ? renameStatement : nameStatement, parameters) { rows in
      rows.dictionary { row in
        var (user, count) = count(&row)
        count.name = row.text()
        return (user, count)
      }
    }
  }

  private static let findStatement = Statement(
    "users-find",
    "SELECT app, user_key, badge, name FROM users WHERE (app, user_key) IN (SELECT * FROM unnest($1, $2))")

  /// Returns counts and names without locking. Users without a row are omitted; their count is 0, and they have no
  /// name.
  package static func find(_ users: some Collection<Key>) -> Query<[Key: (badge: Int16, name: String)]> {
    Query(findStatement, keys(users)) {
      $0.dictionary { row in
        (Key(app: row.int32(), userKey: row.userKey()), (row.int16(), row.text()))
      }
    }
  }

  private static let phoneStatement = Statement(
    "users-phone", "SELECT phone FROM users WHERE app = $1 AND user_key = $2")

  /// Returns a user's encrypted phone number; nil if none is known.
  package static func phone(of user: Key) -> Query<[UInt8]?> {
    Query(first: phoneStatement, user.app, user.userKey.text) { $0.optionalBytes() }
  }

  private static let forgetGuestsStatement = Statement(
    "users-forget-guests",
    """
    WITH guests AS (SELECT * FROM unnest($1, $2) AS t(app, user_key)),
    members AS (DELETE FROM group_members m USING guests g WHERE m.app = g.app AND m.user_key = g.user_key),
    ledger AS (DELETE FROM badge_ledger l USING guests g WHERE l.app = g.app AND l.user_key = g.user_key),
    inbox AS (DELETE FROM inbox_entries e USING guests g WHERE e.app = g.app AND e.user_key = g.user_key)
    DELETE FROM users u USING guests g WHERE u.app = g.app AND u.user_key = g.user_key
    """)

  /// Deletes the counts, ledgers, memberships and inboxes of guests, when a device is bound to a user or unregisters,
  /// or when its row is reused for another device. Does not check that the keys are guests'.
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
    return Parameters(apps, names)
  }

  static func counts(_ rows: Rows) -> [Key: Count] {
    rows.dictionary(count)
  }

  private static func count(_ row: inout RowReader) -> (Key, Count) {
    (Key(app: row.int32(), userKey: row.userKey()), Count(badge: row.int16(), setSeqno: row.optionalSeqno()))
  }
}
