package import Domain
internal import Postgres
package import Time

/// Lists an app's uploaded media and audience files, and deletes single ones on request.
package enum StoredUploads {
  /// Returns SQL that selects the SEQNO of one unfinished message `m` of app `$1` that meets the condition `uses`; no
  /// row if there is none. Has a branch for each partial index on states.
  private static func message(_ uses: String) -> String {
    let found = [
      "m.state = \(MessageState.scheduled.sql)",
      "m.state IN (\(MessageState.queued.sql), \(MessageState.sending.sql))", "m.state = \(MessageState.paused.sql)",
    ].map { "(SELECT seqno FROM messages m WHERE \($0) AND m.app = $1 AND \(uses) ORDER BY seqno LIMIT 1)" }
      .joined(separator: " UNION ALL ")
    return "\(found) LIMIT 1"
  }

  // MARK: Media

  /// An uploaded picture, sound or film.
  package struct Media: Sendable {
    package let name: String
    package let suffix: String
    package let type: String
    package let bytes: Int64
    /// Name of the API key that uploaded it; nil for a console account or the command line.
    package let keyName: String?
    /// When it was uploaded.
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
  }

  private static let mediaStatement = Statement(
    "stored-uploads-media",
    """
    SELECT f.name, f.suffix, f.type, f.bytes, k.name, f.created_at, f.expires_at
    FROM hosted_files f LEFT JOIN api_keys k ON k.api_key = f.api_key
    WHERE f.app = $1 AND left(f.suffix, 1) = '.' AND f.expires_at > $2 AND (f.created_at, f.name) < ($3, $4::text)
    ORDER BY f.created_at DESC, f.name DESC LIMIT $5
    """)

  /// Returns at most `limit` of an app's media, newest first.
  /// - Parameters:
  ///   - now: the current time; expired media are omitted.
  ///   - createdAt: creation time of the last entry of the previous page; a time in the far future for the first page.
  ///   - name: name of that entry; empty for the first page.
  package static func media(
    of app: App.Number, at now: Timestamp, before createdAt: Timestamp, _ name: String, limit: Int
  ) -> Query<[Media]> {
    Query(each: mediaStatement, app, now, createdAt, name, limit) { row in
      Media(
        name: row.text(), suffix: row.text(), type: row.text(), bytes: row.int64(),
        keyName: row.optionalText(), createdAt: row.timestamp(),
        expiresAt: row.timestamp())
    }
  }

  private static let showingStatement = Statement(
    "stored-uploads-showing", message("(m.request->>'media' = $2 OR position($2 in m.links->>'media') > 0)"))

  /// Returns the SEQNO of an unfinished message of the app that shows this media file; nil if there is none.
  package static func message(showing name: String, of app: App.Number) -> Query<Seqno?> {
    Query(first: showingStatement, app, name) { $0.seqno() }
  }

  private static let lockMediaStatement = Statement(
    "stored-uploads-lock-media",
    "SELECT bytes FROM hosted_files WHERE app = $1 AND name = $2 AND left(suffix, 1) = '.' FOR UPDATE")

  /// Locks a media file until the transaction ends, so that no new message can show it
  /// (`HostedFiles.hold`). Returns its size in bytes; nil if the app has no media file with this name.
  package static func lockMedia(_ name: String, of app: App.Number) -> Query<Int64?> {
    Query(first: lockMediaStatement, app, name) { $0.int64() }
  }

  private static let deleteMediaStatement = Statement(
    "stored-uploads-delete-media",
    """
    WITH gone AS (DELETE FROM hosted_files WHERE name = $1 RETURNING name)
    DELETE FROM hosted_parts WHERE name IN (SELECT name FROM gone)
    """)

  /// Deletes a media file with its content. The caller must have locked the file (`lockMedia`).
  package static func deleteMedia(_ name: String) -> Query<Void> {
    Query(deleteMediaStatement, name) { _ in }
  }

  private static let mediaBytesStatement = Statement(
    "stored-uploads-media-bytes",
    """
    SELECT coalesce(sum(greatest(bytes, $2::bigint)), 0)::bigint FROM hosted_files
    WHERE app = $1 AND left(suffix, 1) = '.'
    """)

  /// Returns the total size of an app's media in bytes, also of those that have expired but are not deleted yet.
  /// - Parameter least: bytes that every file counts for, however small.
  package static func mediaBytes(of app: App.Number, atLeast least: Int) -> Query<Int64> {
    Query(one: mediaBytesStatement, app, Int64(least)) { $0.int64() }
  }

  // MARK: Audience files

  /// An audience uploaded as a file.
  package struct File: Sendable {
    package let csv: CSVAudiences.Number
    package let lines: Int32
    /// When it was uploaded.
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
  }

  private static let filesStatement = Statement(
    "stored-uploads-files",
    """
    SELECT csv, lines, created_at, expires_at FROM csv_audiences WHERE app = $1 AND expires_at > $2 AND csv < $3
    ORDER BY csv DESC LIMIT $4
    """)

  /// Returns at most `limit` of an app's audience files with numbers below `csv`, newest first. Files that have expired
  /// by `now` are omitted.
  package static func files(
    of app: App.Number, at now: Timestamp, before csv: CSVAudiences.Number, limit: Int
  ) -> Query<[File]> {
    Query(each: filesStatement, app, now, csv, limit) { row in
      File(
        csv: row.int64(), lines: row.int32(), createdAt: row.timestamp(),
        expiresAt: row.timestamp())
    }
  }

  private static let fileBytesStatement = Statement(
    "stored-uploads-file-bytes",
    """
    SELECT coalesce(sum(greatest(bytes, $2::bigint)), 0)::bigint FROM csv_audiences WHERE app = $1
    """)

  /// Returns the total size of an app's audience files in bytes, also of those that have expired but are not deleted
  /// yet.
  /// - Parameter least: bytes that a file counts as at least.
  package static func fileBytes(of app: App.Number, atLeast least: Int) -> Query<Int64> {
    Query(one: fileBytesStatement, app, Int64(least)) { $0.int64() }
  }

  /// Compares numbers, because a request is stored as it was written: `5`, `"5"`, `5.0` or `5e0`.
  private static let usingStatement = Statement(
    "stored-uploads-using", message("(m.request->'audience'->>'csv')::numeric = $2::bigint"))

  /// Returns the SEQNO of an unfinished message of the app whose audience is the file; nil if there is none.
  package static func message(using csv: CSVAudiences.Number, of app: App.Number) -> Query<Seqno?> {
    Query(first: usingStatement, app, csv) { $0.seqno() }
  }

  private static let lockFileStatement = Statement(
    "stored-uploads-lock-file", "SELECT lines FROM csv_audiences WHERE app = $1 AND csv = $2 FOR UPDATE")

  /// Locks an audience file until the transaction ends: whoever deletes it, and whoever stores a message that uses it.
  /// Returns its number of lines, even if it has expired but is not deleted yet; nil if the app has no such file.
  package static func lockFile(_ csv: CSVAudiences.Number, of app: App.Number) -> Query<Int32?> {
    Query(first: lockFileStatement, app, csv) { $0.int32() }
  }

  private static let deleteFileStatement = Statement(
    "stored-uploads-delete-file",
    """
    WITH gone AS (DELETE FROM csv_audiences WHERE csv = $1 RETURNING csv)
    DELETE FROM csv_lines WHERE csv IN (SELECT csv FROM gone)
    """)

  /// Deletes an audience file and its lines. The caller must have locked the file (`lockFile`).
  package static func deleteFile(_ csv: CSVAudiences.Number) -> Query<Void> {
    Query(deleteFileStatement, csv) { _ in }
  }
}
