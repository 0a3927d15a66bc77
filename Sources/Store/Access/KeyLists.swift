package import Domain
internal import Postgres
package import Time

/// Lists and revokes API keys. The keys themselves are not stored, only their hashes.
package enum KeyLists {
  package struct Record: Sendable {
    package let number: Int32
    package let role: String
    package let app: App.Number?
    package let appID: String?
    package let name: String
    package let createdAt: Timestamp
    package let revokedAt: Timestamp?
    package let endsAt: Timestamp?
    /// When the key was last used, rounded down to the minute; nil if never.
    package let usedAt: Timestamp?
  }

  private static let columnList =
    "k.api_key, k.role, k.app, a.app_id, k.name, k.created_at, k.revoked_at, k.ends_at, k.used_at"

  private static let listStatement = Statement(
    "key-lists-list",
    """
    SELECT \(columnList) FROM api_keys k LEFT JOIN apps a ON a.app = k.app
    WHERE ($1 IS NULL OR k.app = $1 OR k.app IS NULL) AND k.api_key > $2 ORDER BY k.api_key LIMIT $3
    """)

  /// Returns at most `limit` API keys in the order of their numbers, including revoked and expired ones.
  /// - Parameters:
  ///   - app: selects the keys limited to this app and the keys for all apps; nil to select every key.
  ///   - number: only keys with higher numbers are returned; 0 for the first page.
  package static func list(of app: App.Number?, after number: Int32, limit: Int) -> Query<[Record]> {
    Query(listStatement, app, number, limit, read: records)
  }

  private static let countStatement = Statement(
    "key-lists-count", "SELECT count(*) FROM api_keys WHERE app = $1 AND revoked_at IS NULL")

  /// Returns the number of API keys limited to an app that are not revoked, including expired ones.
  package static func count(of app: App.Number) -> Query<Int64> {
    Query(one: countStatement, app) { $0.int64() }
  }

  private static let findStatement = Statement(
    "key-lists-find",
    "SELECT \(columnList) FROM api_keys k LEFT JOIN apps a ON a.app = k.app WHERE k.api_key = $1 FOR UPDATE OF k")

  /// Locks the key's row until the transaction ends, and returns the key, even if it is revoked or expired; nil if
  /// there is none.
  package static func lock(_ number: Int32) -> Query<Record?> {
    Query(findStatement, number) { records($0).first }
  }

  private static let revokeStatement = Statement(
    "key-lists-revoke", "UPDATE api_keys SET revoked_at = clock_timestamp() WHERE api_key = $1 AND revoked_at IS NULL")

  package static func revoke(_ number: Int32) -> Query<Void> {
    Query(revokeStatement, number) { _ in }
  }

  private static func records(_ rows: Rows) -> [Record] {
    rows.decode { row in
      Record(
        number: row.int32(), role: row.text(), app: row.optionalInt32(),
        appID: row.optionalText(), name: row.text(), createdAt: row.timestamp(),
        revokedAt: row.optionalTimestamp(), endsAt: row.optionalTimestamp(),
        usedAt: row.optionalTimestamp())
    }
  }
}
