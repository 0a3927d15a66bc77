package import Domain
internal import Postgres
package import Time

/// Messages that are stored but not sent: templates, drafts, and senders' defaults.
package enum SavedMessages {
  package typealias Number = Int64

  /// What a saved message is for. The raw values are stored in the database, so they must not change.
  package enum Kind: Int16, Sendable, CaseIterable {
    case template = 1
    case draft = 2
    case sender = 3
  }

  package struct Record: Sendable {
    package let number: Number
    package let kind: Kind
    package let app: App.Number
    package let appID: String
    package let name: String
    /// Name of the sender; nil except for senders' defaults.
    package let sender: String?
    /// The message as a JSON object.
    package let message: String
    package let createdAt: Timestamp
    package let updatedAt: Timestamp
    package let updatedBy: String
  }

  private static let columnList = """
    s.saved, s.kind, s.app, a.app_id, s.name, s.sender, s.message::text, s.created_at, s.updated_at, s.updated_by
    """

  private static let listStatement = Statement(
    "saved-messages-list",
    """
    SELECT \(columnList), s.found FROM (
      SELECT f.*, sum(f.size) OVER (ORDER BY f.saved) - f.size AS size_before, count(*) OVER () AS found FROM (
        SELECT *, octet_length(message::text) AS size FROM saved_messages
        WHERE app = $1 AND kind = $2 AND saved > $3 ORDER BY saved LIMIT $4) f) s
    JOIN apps a ON a.app = s.app WHERE s.size_before < $5 ORDER BY s.saved
    """)

  /// Returns at most `limit` saved messages of an app with numbers above `number`, in the order of their numbers. Ends
  /// with the message with which they have a size of `bytes`.
  package static func list(
    _ kind: Kind, of app: App.Number, after number: Number, bytes: Int, limit: Int
  ) -> Query<SizedList<Record>> {
    Query(listStatement, app, kind.rawValue, number, limit, bytes) { SizedList($0, record) }
  }

  private static let findStatement = Statement(
    "saved-messages-find",
    "SELECT \(columnList) FROM saved_messages s JOIN apps a ON a.app = s.app WHERE s.saved = $1 AND s.kind = $2")
  private static let lockStatement = Statement(
    "saved-messages-lock",
    """
    SELECT \(columnList) FROM saved_messages s JOIN apps a ON a.app = s.app WHERE s.saved = $1 AND s.kind = $2
    FOR UPDATE OF s
    """)

  package static func find(_ number: Number, _ kind: Kind) -> Query<Record?> { one(findStatement, number, kind) }
  /// Locks a saved message's row until the transaction ends, and returns the message; nil if there is none of this
  /// kind.
  package static func lock(_ number: Number, _ kind: Kind) -> Query<Record?> { one(lockStatement, number, kind) }

  private static func one(_ statement: Statement, _ number: Number, _ kind: Kind) -> Query<Record?> {
    Query(statement, number, kind.rawValue) { records($0).first }
  }

  /// The fields of a saved message that a client can set, and `by`, the name of the API key or account that sets them.
  package struct New: Sendable {
    package let name: String
    package let sender: String?
    package let message: String
    package let by: String

    package init(name: String, sender: String?, message: String, by: String) {
      self.name = name
      self.sender = sender
      self.message = message
      self.by = by
    }
  }

  private static let createStatement = Statement(
    "saved-messages-create",
    """
    INSERT INTO saved_messages (app, kind, name, sender, message, updated_by)
    VALUES ($1, $2, $3, $4, $5::text::json, $6) RETURNING saved
    """)

  /// Creates a saved message and returns its number. Fails with `saved_messages_sender_is_unique` if the app has
  /// defaults for this sender already.
  package static func create(_ new: New, _ kind: Kind, of app: App.Number) -> Query<Number> {
    Query(one: createStatement, app, kind.rawValue, new.name, new.sender, new.message, new.by) { $0.int64() }
  }

  private static let changeStatement = Statement(
    "saved-messages-change",
    """
    UPDATE saved_messages SET name = $2, sender = $3, message = $4::text::json, updated_by = $5, updated_at = now()
    WHERE saved = $1
    """)

  package static func change(_ number: Number, _ new: New) -> Query<Void> {
    Query(changeStatement, number, new.name, new.sender, new.message, new.by) { _ in }
  }

  private static let deleteStatement = Statement("saved-messages-delete", "DELETE FROM saved_messages WHERE saved = $1")

  package static func delete(_ number: Number) -> Query<Void> {
    Query(deleteStatement, number) { _ in }
  }

  private static func records(_ rows: Rows) -> [Record] {
    rows.decode(record)
  }

  private static func record(_ row: inout RowReader) -> Record {
    Record(
      number: row.int64(), kind: Kind(rawValue: row.int16()) ?? .draft, app: row.int32(),
      appID: row.text(), name: row.text(), sender: row.optionalText(),
      message: row.text(), createdAt: row.timestamp(),
      updatedAt: row.timestamp(), updatedBy: row.text())
  }
}
