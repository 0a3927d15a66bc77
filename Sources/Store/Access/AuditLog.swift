package import Domain
internal import Postgres
package import Time

/// The audit log: who changed what, and who read lists of people. The entry for a change is added in the same
/// transaction as the change. The schema forbids modifying or deleting entries. Decision 016.
package enum AuditLog {
  /// Role of an entry about what a device did.
  package static let deviceRole = "device"
  /// Role of an entry about what the server did without a request.
  package static let serverRole = "upmc"

  package struct New: Sendable {
    package var apiKey: Int32?
    package var account: Int32?
    package let actor: String
    package let role: String
    package var origin = ""
    package var requestID = ""
    package let action: String
    package var app: App.Number?
    package let object: String
    /// The object before the change, as JSON without secrets; nil if there was none or it is not recorded.
    package var before: String?
    /// The object after the change, as JSON without secrets; nil if there is none or it is not recorded.
    package var after: String?

    package init(actor: String, role: String, action: String, object: String) {
      self.actor = actor
      self.role = role
      self.action = action
      self.object = object
    }
  }

  private static let addStatement = Statement(
    "audit-add",
    """
    INSERT INTO audit_log (api_key, account, actor, role, origin, request_id, action, app, object, before, after)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::text::json, $11::text::json)
    """)

  package static func add(_ entry: New) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(entry.apiKey)
    parameters.append(entry.account)
    for text in [entry.actor, entry.role, entry.origin, entry.requestID, entry.action] { parameters.append(text) }
    parameters.append(entry.app)
    parameters.append(entry.object)
    parameters.append(entry.before)
    parameters.append(entry.after)
    return Query(addStatement, parameters) { _ in }
  }

  // MARK: Access to personal data

  private static let addReadingStatement = Statement(
    "audit-add-reading",
    """
    WITH noted AS (
      INSERT INTO audit_readings (reader, list, app, hour) VALUES ($1, $2, coalesce($8, 0), date_trunc('hour', now()))
      ON CONFLICT DO NOTHING RETURNING 1),
    old AS (DELETE FROM audit_readings WHERE hour < now() - interval '1 day' AND EXISTS (SELECT FROM noted))
    INSERT INTO audit_log (api_key, account, actor, role, origin, request_id, action, app, object)
    SELECT $3, $4, $5, $6, $7, $9, $10, $8, $2 FROM noted
    """)

  /// Adds an entry for the reading of a list of people, unless the same reader has read this list of this app in the
  /// same clock hour. If it adds one, it also deletes rows of `audit_readings` that are older than a day.
  /// - Parameters:
  ///   - entry: names the list as its object; `before` and `after` are not stored.
  ///   - reader: identifies the reader; unlike `actor`, it differs for readers with the same name.
  package static func addReading(_ entry: New, of reader: String) -> Query<Void> {
    var parameters = Parameters()
    parameters.append(reader)
    parameters.append(entry.object)
    parameters.append(entry.apiKey)
    parameters.append(entry.account)
    for text in [entry.actor, entry.role, entry.origin] { parameters.append(text) }
    parameters.append(entry.app)
    parameters.append(entry.requestID)
    parameters.append(entry.action)
    return Query(addReadingStatement, parameters) { _ in }
  }

  // MARK: Reading

  package struct Record: Sendable {
    package let entry: Int64
    package let at: Timestamp
    package let apiKey: Int32?
    package let account: Int32?
    package let actor: String
    package let role: String
    package let origin: String
    package let requestID: String
    package let action: String
    /// The app's id, even if the app has been deleted; nil for an entry that concerns no app.
    package let appID: String?
    package let object: String
    package let before: String?
    package let after: String?
  }

  /// Criteria for the entries of a list, all of which an entry must meet; a property that is nil is no criterion.
  package struct Filter: Sendable {
    package var app: App.Number?
    /// The name of an action, or its part before a period: `message` selects all actions on messages, such as
    /// `message.send`.
    package var action: String?
    package var actor: String?
    package var object: String?
    /// Another name of `object`, by which its entries are found too; not used if `object` is nil.
    package var otherObject: String?

    package init() {}
  }

  private static func list(_ name: String, from: String) -> Statement {
    Statement(
      name,
      """
      SELECT l.entry, l.at, l.api_key, l.account, l.actor, l.role, l.origin, l.request_id, l.action, coalesce(a.app_id, p.app_id), l.object,
        l.before::text, l.after::text, l.found
      FROM (
        SELECT f.*, sum(f.size) OVER (ORDER BY f.entry DESC) - f.size AS size_before, count(*) OVER () AS found FROM (
          SELECT w.*, coalesce(octet_length(w.before::text), 0) + coalesce(octet_length(w.after::text), 0) AS size
          -- A search ends after so many entries, and goes on with the next page.
          FROM (SELECT * FROM audit_log WHERE \(from) ORDER BY entry DESC LIMIT $2) w
          WHERE ($4 IS NULL OR w.action = $4 OR w.action LIKE $4 || '.%') AND ($5 IS NULL OR w.actor = $5)
            AND ($6 IS NULL OR w.object IN ($6, $7))
          ORDER BY w.entry DESC LIMIT $3) f) l
      LEFT JOIN apps a ON a.app = l.app LEFT JOIN app_purges p ON p.app = l.app
      WHERE l.size_before < $8
      ORDER BY l.entry DESC
      """)
  }

  private static let allStatement = list("audit-list", from: "entry < $1")
  private static let ofAppStatement = list("audit-list-of-app", from: "app = $9 AND entry < $1")

  /// Returns at most `limit` matching entries, newest first. Searches only the `window` newest entries with numbers
  /// below `entry` (of `filter.app`, if it is not nil); `edge` returns where that search ends. Ends with the entry with
  /// which the values before and after the changes have a size of `bytes`.
  package static func list(
    _ filter: Filter, before entry: Int64, window: Int, bytes: Int, limit: Int
  ) -> Query<SizedList<Record>> {
    var parameters = Parameters()
    parameters.append(entry)
    parameters.append(window)
    parameters.append(limit)
    parameters.append(filter.action)
    parameters.append(filter.actor)
    parameters.append(filter.object)
    parameters.append(filter.otherObject)
    parameters.append(bytes)
    if let app = filter.app { parameters.append(app) }
    return Query(filter.app == nil ? allStatement : ofAppStatement, parameters) { rows in
      SizedList(rows) { row in
        Record(
          entry: row.int64(), at: row.timestamp(),
          apiKey: row.optionalInt32(),
          account: row.optionalInt32(), actor: row.text(), role: row.text(),
          origin: row.text(), requestID: row.text(), action: row.text(),
          appID: row.optionalText(), object: row.text(), before: row.optionalText(),
          after: row.optionalText())
      }
    }
  }

  /// A change made at the command line.
  package struct Command: Sendable {
    package let entry: Int64
    package let actor: String
    package let action: String
    /// The app's id; nil for a change that concerns no app.
    package let appID: String?
    package let object: String
  }

  private static let lastStatement = Statement("audit-last", "SELECT coalesce(max(entry), 0) FROM audit_log")

  /// Returns the number of the newest entry; 0 if there is none.
  package static func last() -> Query<Int64> { Query(one: lastStatement) { $0.int64() } }

  private static let commandsStatement = Statement(
    "audit-commands",
    """
    SELECT l.entry, l.actor, l.action, coalesce(a.app_id, p.app_id), l.object
    FROM audit_log l LEFT JOIN apps a ON a.app = l.app LEFT JOIN app_purges p ON p.app = l.app
    -- Every request over HTTP has an id; devices do things for themselves, and so does a server that starts. A command
    -- says on which machine it ran.
    WHERE l.entry > $1 AND l.request_id = '' AND l.origin <> '' AND l.role <> 'device'
    ORDER BY l.entry
    """)

  /// Returns the changes made at the command line after an entry (exclusive), oldest first.
  package static func atCommandLine(after entry: Int64) -> Query<[Command]> {
    Query(each: commandsStatement, entry) { row in
      Command(
        entry: row.int64(), actor: row.text(), action: row.text(),
        appID: row.optionalText(), object: row.text())
    }
  }

  private static let edgeStatement = Statement(
    "audit-edge", "SELECT entry FROM audit_log WHERE entry < $1 ORDER BY entry DESC OFFSET $2 - 1 LIMIT 1")
  private static let edgeOfAppStatement = Statement(
    "audit-edge-of-app",
    "SELECT entry FROM audit_log WHERE app = $3 AND entry < $1 ORDER BY entry DESC OFFSET $2 - 1 LIMIT 1")

  /// Returns the number of the oldest entry that `list` searches with these arguments; nil if fewer than `window`
  /// entries are left, so that `list` searches all of them.
  package static func edge(_ filter: Filter, before entry: Int64, window: Int) -> Query<Int64?> {
    var parameters = Parameters()
    parameters.append(entry)
    parameters.append(window)
    if let app = filter.app { parameters.append(app) }
    return Query(filter.app == nil ? edgeStatement : edgeOfAppStatement, parameters) { $0.decodeFirst { $0.int64() } }
  }
}
