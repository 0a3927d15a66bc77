package import Domain
internal import Postgres
package import Time

/// Hosted pages and media, which devices download by name until they expire. Decision 018.
package enum HostedFiles {
  package struct New: Sendable {
    package let name: String
    package let app: App.Number
    package let suffix: String
    package let type: String
    package let sha256: [UInt8]
    package let body: [UInt8]
    package let apiKey: Int32?
    package let createdAt: Timestamp
    package let expiresAt: Timestamp

    package init(
      name: String, app: App.Number, suffix: String, type: String, sha256: [UInt8], body: [UInt8], apiKey: Int32?,
      createdAt: Timestamp, expiresAt: Timestamp
    ) {
      self.name = name
      self.app = app
      self.suffix = suffix
      self.type = type
      self.sha256 = sha256
      self.body = body
      self.apiKey = apiKey
      self.createdAt = createdAt
      self.expiresAt = expiresAt
    }
  }

  /// The metadata of a file.
  package struct Record: Equatable, Sendable {
    package let name: String
    package let app: App.Number
    package let suffix: String
    package let type: String
    package let bytes: Int64
    /// Size of each part in bytes, except the last, which can be smaller.
    package let partBytes: Int
    package let sha256: [UInt8]
    package let createdAt: Timestamp
    package let expiresAt: Timestamp

    /// True for media, false for pages.
    package var isMedia: Bool { suffix.hasPrefix(".") }
  }

  private static let createStatement = Statement(
    "hosted-files-create",
    """
    INSERT INTO hosted_files (name, app, suffix, type, bytes, part_bytes, sha256, api_key, created_at,
      expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    """)

  private static let createPartStatement = Statement(
    "hosted-parts-create", "INSERT INTO hosted_parts (name, part, body) VALUES ($1, $2, $3)")

  /// Returns the queries that store a file with its content, to be run in this order in one transaction.
  package static func create(_ file: New, partBytes: Int) -> [Query<Void>] {
    let parts = stride(from: 0, to: file.body.count, by: partBytes).enumerated().map { part, start in
      add(Array(file.body[start..<min(start + partBytes, file.body.count)]), part: part, of: file.name)
    }
    return [create(file, bytes: file.body.count, partBytes: partBytes)] + parts
  }

  /// Creates a file of `bytes` bytes without its content; `body` is not used. The same transaction must then `add` the
  /// parts one by one, so that a video is never in memory as a whole.
  package static func create(_ file: New, bytes: Int, partBytes: Int) -> Query<Void> {
    Query(
      createStatement, file.name, file.app, file.suffix, file.type, Int64(bytes), Int32(partBytes), file.sha256,
      file.apiKey, file.createdAt, file.expiresAt
    ) { _ in }
  }

  /// Stores one part of a file.
  /// - Parameter part: number of the part, counted from 0.
  package static func add(_ bytes: [UInt8], part: Int, of name: String) -> Query<Void> {
    Query(createPartStatement, name, Int32(part), bytes) { _ in }
  }

  private static let findStatement = Statement(
    "hosted-files-find",
    """
    SELECT name, app, suffix, type, bytes, part_bytes, sha256, created_at, expires_at FROM hosted_files WHERE name = $1
    """)

  package static func find(_ name: String) -> Query<Record?> {
    Query(first: findStatement, name) { row in
      Record(
        name: row.text(), app: row.int32(), suffix: row.text(), type: row.text(),
        bytes: row.int64(), partBytes: Int(row.int32()), sha256: row.bytes(),
        createdAt: row.timestamp(), expiresAt: row.timestamp())
    }
  }

  private static let partStatement = Statement(
    "hosted-parts-find", "SELECT body FROM hosted_parts WHERE name = $1 AND part = $2")

  /// Returns one part of a file's content, numbered from 0; nil if there is none.
  package static func part(_ name: String, _ part: Int32) -> Query<[UInt8]?> {
    Query(first: partStatement, name, part) { $0.bytes() }
  }

  private static let keepStatement = Statement(
    "hosted-files-keep",
    "UPDATE hosted_files SET expires_at = greatest(expires_at, $2) WHERE name = $1")

  /// Extends a file's lifetime to at least `time` for a message that shows it, in the transaction that creates the
  /// message and holds the file.
  package static func keep(_ name: String, until time: Timestamp) -> Query<Void> {
    Query(keepStatement, name, time) { _ in }
  }

  private static let holdStatement = Statement(
    "hosted-files-hold", "SELECT name FROM hosted_files WHERE name = $1 FOR KEY SHARE")

  /// Prevents a file's deletion until the transaction ends. Returns false if the file does not exist any more; true even
  /// if it has expired but is not deleted yet.
  package static func hold(_ name: String) -> Query<Bool> {
    Query(holdStatement, name) { $0.count == 1 }
  }

  private static let pruneStatement = Statement(
    "hosted-files-prune",
    """
    WITH gone AS (
      DELETE FROM hosted_files WHERE name IN (
        SELECT name FROM hosted_files WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2
        -- Two janitors at once share the work.
        FOR UPDATE SKIP LOCKED)
      RETURNING name
    ), parts AS (DELETE FROM hosted_parts p USING gone g WHERE p.name = g.name)
    SELECT count(*) FROM gone
    """)

  /// Deletes at most `limit` files that have expired by `now`, with their content. Skips files that another transaction
  /// has locked. Returns the number of deleted files.
  package static func prune(at now: Timestamp, atMost limit: Int) -> Query<Int64> {
    Query(one: pruneStatement, now, limit) { $0.int64() }
  }
}
