package import Domain
package import Postgres
package import Time

/// Audiences uploaded as files, with personal values on each line. Decision 019.
package enum CSVAudiences {
  package typealias Number = Int64

  package struct Record: Sendable {
    package let csv: Number
    package let app: App.Number
    package let lines: Int32
    /// When the audience can no longer be used and will be deleted; messages that use it extend the time.
    package let expiresAt: Timestamp
  }

  // MARK: Storing

  private static let createStatement = Statement(
    "csv-create",
    """
    INSERT INTO csv_audiences (app, sha256, lines, bytes, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)
    -- Whoever uploads the same file at once waits here, until its lines are stored too.
    ON CONFLICT (app, sha256) DO UPDATE SET expires_at = greatest(csv_audiences.expires_at, excluded.expires_at)
    RETURNING csv, app, lines, expires_at, xmax = 0
    """)

  /// Creates an audience without lines; the same transaction must store them. If the app has the same file already,
  /// returns that audience (`isNew` is false) and extends its life to at least `expiresAt`; waits for a transaction
  /// that is just storing the file.
  /// - Parameter bytes: size of the file's text in UTF-8.
  package static func create(
    app: App.Number, sha256: [UInt8], lines: Int, bytes: Int, at now: Timestamp, expiresAt: Timestamp
  ) -> Query<(record: Record, isNew: Bool)> {
    Query(one: createStatement, app, sha256, Int32(lines), Int64(bytes), now, expiresAt) {
      (record(&$0), $0.bool())
    }
  }

  /// Streams the lines of a file into the database, and returns when all are stored. Fails if a user occurs twice.
  /// - Parameter next: returns further lines, or nil after the last. If it throws, nothing is stored, and `store`
  ///   throws.
  package static func store(
    of csv: Number, on connection: Connection, next: () throws(PostgresError) -> [CSVFile.Line]?
  ) throws(PostgresError) {
    _ = try connection.copyIn(
      "COPY csv_lines (csv, user_key, name, var1, var2, var3, var4, var5, var6, var7, var8, var9) "
        + "FROM STDIN (FORMAT binary)"
    ) { (writer) throws(PostgresError) in
      while let lines = try next() {
        for line in lines {
          try writer.beginRow(columns: 12)
          writer.append(csv)
          writer.append(text: line.user.text)
          writer.append(text: line.name)
          for index in 0..<9 { writer.append(text: index < line.variables.count ? line.variables[index] : nil) }
        }
      }
    }
  }

  private static let decodeStatement = Statement("csv-decode", "SELECT convert_from($1, 'UHC')")

  /// Converts text in the code page of Korean Windows (CP949, a superset of EUC-KR) to UTF-8. Fails with
  /// `.characterNotInRepertoire` if the bytes are not valid CP949.
  package static func decodeKorean(_ bytes: [UInt8]) -> Query<[UInt8]> {
    Query(one: decodeStatement, bytes) { $0.bytes() }
  }

  // MARK: Using

  private static let findStatement = Statement(
    "csv-find", "SELECT csv, app, lines, expires_at FROM csv_audiences WHERE csv = $1 AND expires_at > $2")

  /// Returns a file's record; nil if the file does not exist or has expired by `now`.
  package static func find(_ csv: Number, at now: Timestamp) -> Query<Record?> {
    Query(first: findStatement, csv, now, read: record)
  }

  private static let keepStatement = Statement(
    "csv-keep", "UPDATE csv_audiences SET expires_at = greatest(expires_at, $2) WHERE csv = $1")

  /// Extends a file's lifetime to at least `until` for a message that uses it, in the transaction that creates the
  /// message and has locked the file (`StoredUploads.lockFile`).
  package static func keep(_ csv: Number, until: Timestamp) -> Query<Void> {
    Query(keepStatement, csv, until) { _ in }
  }

  private static let keysStatement = Statement(
    "csv-keys",
    """
    SELECT user_key FROM csv_lines WHERE csv = $1 AND user_key > $2 AND user_key <= $3 ORDER BY user_key LIMIT $4
    """)

  /// Returns at most `limit` users in the file with keys in (`after`, `upto`], in key order.
  package static func keys(_ csv: Number, after: String, upto: String, limit: Int) -> Query<[UserKey]> {
    Query(each: keysStatement, csv, after, upto, limit) { $0.userKey() }
  }

  /// The personal values on a line of a file. `variables` are the values of `%VAR1%` and so on: at most nine, up to the
  /// last one that the line has; empty where the line has none.
  package struct Values: Sendable {
    /// Name of the user; empty to use the user's own name.
    package let name: String
    package let variables: [String]
  }

  private static let valuesStatement = Statement(
    "csv-values",
    """
    SELECT user_key, name, var1, var2, var3, var4, var5, var6, var7, var8, var9 FROM csv_lines
    WHERE csv = $1 AND user_key = ANY($2)
    """)

  /// Returns the values of users in a file, even an expired one. Users who are not in the file are omitted.
  package static func values(_ csv: Number, of users: some Collection<UserKey>) -> Query<[UserKey: Values]> {
    var keys = TextColumn()
    for user in users { keys.append(user.text) }
    return Query(valuesStatement, csv, keys) { rows in
      var values: [UserKey: Values] = [:]
      rows.forEach { row in
        let (user, name) = (row.userKey(), row.text())
        var variables = (0..<9).map { _ in row.optionalText() }
        while let last = variables.last, last == nil { variables.removeLast() }
        values[user] = Values(name: name, variables: variables.map { $0 ?? "" })
      }
      return values
    }
  }

  private static let dropStatement = Statement(
    "csv-drop",
    """
    WITH gone AS (
      DELETE FROM csv_audiences WHERE csv = (
        SELECT csv FROM csv_audiences WHERE expires_at <= $1 ORDER BY expires_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING csv)
    DELETE FROM csv_lines WHERE csv IN (SELECT csv FROM gone)
    """)

  /// Deletes one of the files that have expired by `now`, with its lines: the one that expired first. Skips files that
  /// another transaction has locked; has no effect if none is left.
  package static func dropExpired(at now: Timestamp) -> Query<Void> {
    Query(dropStatement, now) { _ in }
  }

  private static func record(_ row: inout RowReader) -> Record {
    Record(
      csv: row.int64(), app: row.int32(), lines: row.int32(),
      expiresAt: row.timestamp())
  }
}
