package import Domain
internal import Postgres
package import Time

/// A person's inbox: messages meant for the person, kept for a while, whether or not a push arrived. It is visible on
/// the person's devices, on each of them from a certain time on (`View.since`).
///
/// ```
///   claimed ─► entry, unread ──┬─ a read is confirmed, on any device ─► read ──┐
///                              │                                              ├─► expired, or the person is gone
///                              └──────────────────────────────────────────────┘    (erased, or no longer a guest)
/// ```
/// An entry is a narrow row; the content is stored once per message, and a person's values are filled in when the entry
/// is read. Entries and content are written in the transaction that claims the deliveries, many rows per statement. The
/// entries of a message expire at about the same time, so expired ones are removed in the order of one index. The
/// content stays until a minute after the last entry has expired.
package enum Inboxes {
  package struct Key: Hashable, Sendable {
    package let user: Users.Key
    /// The message's SEQNO; for a resent message, that of the original.
    package let seqno: Seqno

    package init(user: Users.Key, seqno: Seqno) {
      self.user = user
      self.seqno = seqno
    }
  }

  // MARK: Creation

  package struct New: Sendable {
    package let key: Key
    /// When the entry expires.
    package let endsAt: Timestamp
    /// The person's values for placeholders, from an uploaded file; nil if there are none.
    package let filled: InboxValues?

    package init(key: Key, endsAt: Timestamp, filled: InboxValues?) {
      self.key = key
      self.endsAt = endsAt
      self.filled = filled
    }
  }

  /// Returns the inbox entries that a message creates: one for each person with a device whose consents allow the
  /// message, even if something else prevents the push.
  package static func wanted(
    _ seqno: Seqno, until endsAt: Timestamp, of kind: MessageKind, app: App.Number, among members: [Audiences.Member],
    filled: (UserKey) -> InboxValues? = { _ in nil }
  ) -> [New] {
    let persons = Set(members.lazy.filter { $0.mayGet(kind) }.map(\.userKey))
    return persons.map {
      New(key: Key(user: Users.Key(app: app, userKey: $0), seqno: seqno), endsAt: endsAt, filled: filled($0))
    }
  }

  private static let keepStatement = Statement(
    "inboxes-keep",
    """
    INSERT INTO inbox_messages (seqno, app, sent_at, ends_at, send_date, request, links)
    SELECT m.seqno, m.app, greatest(m.created_at, m.due_at), t.ends_at,
      to_char(coalesce(m.due_at, m.created_at) AT TIME ZONE \(TimeZones.ofApp), 'YYYYMMDDHH24'),
      -- Whom it names is nobody else's business.
      (SELECT json_object_agg(e.key, CASE WHEN e.key = 'audience' AND e.value->'csv' IS NULL
        THEN '{"all":true}'::json ELSE e.value END) FROM json_each(m.request) e), m.links
    FROM unnest($1, $2) AS t(seqno, ends_at) JOIN messages m ON m.seqno = t.seqno JOIN apps a ON a.app = m.app
    WHERE NOT EXISTS (SELECT FROM inbox_messages i WHERE i.seqno = t.seqno AND i.ends_at >= t.ends_at)
    ORDER BY m.seqno
    -- It stays as long as the last of its entries: a message that waited, or goes out again, ends later than it was to.
    ON CONFLICT (seqno) DO UPDATE SET ends_at = excluded.ends_at WHERE inbox_messages.ends_at < excluded.ends_at
    """)

  private static let createStatement = Statement(
    "inboxes-create",
    """
    INSERT INTO inbox_entries (app, user_key, seqno, ends_at, filled)
    SELECT t.app, t.user_key, t.seqno, t.ends_at, t.filled::json
    FROM unnest($1, $2, $3, $4, $5) AS t(app, user_key, seqno, ends_at, filled)
    WHERE t.ends_at > clock_timestamp()
    ORDER BY t.app, t.user_key COLLATE "C", t.seqno
    -- Another device of the person came first, or the message before it was sent again.
    ON CONFLICT DO NOTHING
    """)

  /// Returns the queries that store the messages' content and the entries; none if there are no entries. Existing
  /// entries stay as they are, and entries that have expired are not stored. Run the queries in the transaction that
  /// claims the deliveries.
  package static func create(_ entries: [New]) -> [Query<Void>] {
    guard !entries.isEmpty else { return [] }
    var (apps, keys, seqnos) = (Int32Column(), TextColumn(), Int64Column())
    var (ends, filled) = (TimestampColumn(), TextColumn())
    var messages: [Seqno: Timestamp] = [:]
    for entry in entries {
      apps.append(entry.key.user.app)
      keys.append(entry.key.user.userKey.text)
      seqnos.append(entry.key.seqno)
      ends.append(entry.endsAt)
      filled.append(entry.filled?.json)
      messages[entry.key.seqno] = entry.endsAt
    }
    var (shown, shownEnds) = (Int64Column(), TimestampColumn())
    for (seqno, endsAt) in messages {
      shown.append(seqno)
      shownEnds.append(endsAt)
    }
    var kept = Parameters()
    kept.append(shown)
    kept.append(shownEnds)
    return [Query(keepStatement, kept) { _ in }, Query(createStatement, apps, keys, seqnos, ends, filled) { _ in }]
  }

  // MARK: Reading

  /// An entry with the content of its message.
  package struct Entry: Sendable {
    package let seqno: Seqno
    /// When the message was sent: the later of its creation and its due time.
    package let sentAt: Timestamp
    package let endsAt: Timestamp
    package let readAt: Timestamp?
    package let filled: InboxValues?
    package let sendDate: String
    package let request: [UInt8]
    package let links: HostedLinks?
    package let appHasExtension: Bool
  }

  /// The entries of a person's inbox that a device may see.
  package struct View: Hashable, Sendable {
    package let user: Users.Key
    /// Messages sent before this time are not visible.
    package let since: Timestamp

    package init(of user: Users.Key, since: Timestamp) {
      self.user = user
      self.since = since
    }
  }

  /// A request for one page of a view.
  package struct Question: Sendable {
    package let view: View
    /// The page contains only entries with SEQNOs below this.
    package let before: Int64
    package let limit: Int

    package init(view: View, before: Int64, limit: Int) {
      self.view = view
      self.before = before
      self.limit = limit
    }
  }

  /// SQL condition: the message of entry `x` was sent at or after the time from which view `t` shows messages. Written
  /// as a subquery, so that every query plan looks up the messages one by one.
  private static let isInView = "(SELECT s.sent_at FROM inbox_messages s WHERE s.seqno = x.seqno) >= t.since"

  private static let listStatement = Statement(
    "inboxes-list",
    """
    SELECT t.n, e.seqno, i.sent_at, e.ends_at, e.read_at, e.filled::text, i.send_date, i.request::text, i.links::text,
      a.extension
    FROM unnest($1, $2, $3, $4, $5) WITH ORDINALITY AS t(app, user_key, since, before, most, n)
    CROSS JOIN LATERAL (
      SELECT x.app, x.seqno, x.ends_at, x.read_at, x.filled FROM inbox_entries x
      WHERE x.app = t.app AND x.user_key = t.user_key AND x.seqno < t.before AND x.ends_at > $6
        -- Before they are counted: what shows nothing makes no page shorter.
        AND \(isInView)
      ORDER BY x.seqno DESC LIMIT t.most) e
    JOIN inbox_messages i ON i.seqno = e.seqno JOIN apps a ON a.app = e.app
    ORDER BY t.n, e.seqno DESC
    """)

  /// Returns a page of entries for each question, newest first, by the question's index. Expired entries are left out;
  /// questions without entries are omitted.
  package static func list(_ questions: [Question], at now: Timestamp) -> Query<[Int: [Entry]]> {
    var (before, most) = (Int64Column(), Int64Column())
    for question in questions {
      before.append(question.before)
      most.append(Int64(question.limit))
    }
    var parameters = columns(questions.map(\.view))
    parameters.append(before)
    parameters.append(most)
    parameters.append(now)
    return Query(listStatement, parameters) { rows in
      var found: [Int: [Entry]] = [:]
      rows.forEach { row in
        let index = Int(row.int64()) - 1
        found[index, default: []].append(entry(&row))
      }
      return found
    }
  }

  private static func entry(_ row: inout RowReader) -> Entry {
    Entry(
      seqno: row.seqno(), sentAt: row.timestamp(), endsAt: row.timestamp(), readAt: row.optionalTimestamp(),
      filled: row.optionalBytes().flatMap { try? InboxValues(json: $0) }, sendDate: row.text(), request: row.bytes(),
      links: row.optionalBytes().flatMap { try? HostedLinks(json: $0) }, appHasExtension: row.bool())
  }

  private static let unreadStatement = Statement(
    "inboxes-unread",
    """
    SELECT t.n, c.count FROM unnest($1, $2, $3) WITH ORDINALITY AS t(app, user_key, since, n) CROSS JOIN LATERAL (
      SELECT count(*) FROM (
        SELECT y.seqno, y.read_at FROM inbox_entries y
        WHERE y.app = t.app AND y.user_key = t.user_key AND y.ends_at > $4 ORDER BY y.seqno DESC LIMIT $5) x
      WHERE x.read_at IS NULL AND \(isInView)) c
    """)

  /// Returns the number of unread entries in each view, considering only the person's newest `most` entries that have
  /// not expired.
  package static func unread(in views: Set<View>, at now: Timestamp, ofNewest most: Int) -> Query<[View: Int64]> {
    let views = Array(views)
    var parameters = columns(views)
    parameters.append(now)
    parameters.append(most)
    return Query(unreadStatement, parameters) {
      $0.dictionary { row in
        (views[Int(row.int64()) - 1], row.int64())
      }
    }
  }

  private static func columns(_ views: [View]) -> Parameters {
    var (apps, keys, since) = (Int32Column(), TextColumn(), TimestampColumn())
    for view in views {
      apps.append(view.user.app)
      keys.append(view.user.userKey.text)
      since.append(view.since)
    }
    return Parameters(apps, keys, since)
  }

  private static let haveStatement = Statement(
    "inboxes-have",
    """
    SELECT t.seqno, t.device FROM unnest($1, $2) AS t(seqno, device) JOIN devices d ON d.device = t.device
      JOIN inbox_entries e ON e.app = d.app AND e.user_key = d.user_key AND e.seqno = t.seqno
    """)

  /// Returns those of the deliveries whose message is in the inbox of the device's current user, read or not.
  package static func have(_ asked: some Collection<Confirmations.Delivery>) -> Query<Set<Confirmations.Delivery>> {
    Query(haveStatement, Confirmations.columns(asked), read: Confirmations.deliveries)
  }

  private static let readStatement = Statement(
    "inboxes-read",
    """
    WITH locked AS MATERIALIZED (
      SELECT e.app, e.user_key, e.seqno, t.at FROM unnest($1, $2, $3, $4) AS t(app, user_key, seqno, at)
      JOIN inbox_entries e ON e.app = t.app AND e.user_key = t.user_key AND e.seqno = t.seqno
      WHERE e.read_at IS NULL ORDER BY e.app, e.user_key, e.seqno FOR UPDATE OF e)
    UPDATE inbox_entries e SET read_at = l.at FROM locked l
    WHERE e.app = l.app AND e.user_key = l.user_key AND e.seqno = l.seqno
    RETURNING e.app, e.user_key, e.seqno
    """)

  /// Marks entries as read at the given times. Returns those that had been unread; ignores entries that do not exist.
  package static func read(_ entries: [Key: Timestamp]) -> Query<Set<Key>> {
    var (apps, keys, seqnos, times) = (Int32Column(), TextColumn(), Int64Column(), TimestampColumn())
    for (key, at) in entries {
      apps.append(key.user.app)
      keys.append(key.user.userKey.text)
      seqnos.append(key.seqno)
      times.append(at)
    }
    return Query(readStatement, apps, keys, seqnos, times) { rows in
      Set(
        rows.decode { row in
          Key(user: Users.Key(app: row.int32(), userKey: row.userKey()), seqno: row.seqno())
        })
    }
  }

  // MARK: Expiry

  private static let endStatement = Statement(
    "inboxes-end",
    """
    WITH over AS MATERIALIZED (
      SELECT app, user_key, seqno FROM inbox_entries WHERE ends_at <= now() ORDER BY ends_at LIMIT $1
      FOR UPDATE SKIP LOCKED)
    DELETE FROM inbox_entries e USING over o
    WHERE e.app = o.app AND e.user_key = o.user_key AND e.seqno = o.seqno
    """)

  /// Deletes at most `limit` expired entries, earliest expiry first, and returns the number deleted. Skips locked rows.
  package static func end(atMost limit: Int) -> Query<Int> {
    Query(endStatement, limit) { $0.affected }
  }

  private static let endMessagesStatement = Statement(
    "inboxes-end-messages",
    """
    DELETE FROM inbox_messages WHERE seqno IN (
      -- Whoever reads an entry of it just now finds it still.
      SELECT seqno FROM inbox_messages WHERE ends_at <= now() - interval '1 minute' ORDER BY ends_at LIMIT $1
      FOR UPDATE SKIP LOCKED)
    """)

  /// Deletes the content of at most `limit` messages whose last entry expired over a minute ago, and returns the number
  /// of these messages. Skips locked rows.
  package static func endMessages(atMost limit: Int) -> Query<Int> {
    Query(endMessagesStatement, limit) { $0.affected }
  }
}
