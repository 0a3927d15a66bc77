package import Domain
internal import Postgres
package import Time

/// Imports of people, group members and device tags from files that arrive in parts, and the errors in their lines.
package enum Imports {
  package typealias Number = Int64

  /// What a file contains. The raw values are stored in the database, so they must not change.
  package enum Kind: Int16, Sendable, CaseIterable {
    case users = 1
    case members = 2
    /// Tags of devices.
    case devices = 3
  }

  package struct Record: Sendable {
    package let number: Number
    package let app: App.Number
    package let appID: String
    package let kind: Kind
    package let group: Groups.Number?
    /// True to skip faulty lines; false if a single one prevents the whole import.
    package let skipsErrors: Bool
    package var parts: Int32
    package var partSHA256: [UInt8]
    /// Encoding of the file: as requested, or as detected in the first non-ASCII characters; nil until it is known.
    package var encoding: FileEncoding?
    /// The first line of the file, which names the columns; nil until a valid one has arrived.
    package var header: String?
    package var rest: [UInt8]
    package var lines: Int64
    package var imported: Int64
    package var rejected: Int64
    package let createdAt: Timestamp
    package let createdBy: String
    package var finishedAt: Timestamp?
    /// True if the import was ended before its last part; `finishedAt` then says when.
    package let isCancelled: Bool

    /// Number of lines read, not counting the header.
    package var dataLines: Int64 { header == nil ? lines : lines - 1 }

    /// A copy for reading all parts again: without the header and the unfinished line (`rest`), and with all counts of
    /// lines 0. All other properties, such as the encoding, are kept.
    package var fresh: Record {
      var record = self
      record.header = nil
      record.rest = []
      (record.lines, record.imported, record.rejected) = (0, 0, 0)
      return record
    }
  }

  private static let columnList = """
    i.import, i.app, a.app_id, i.kind, i.groupseq, i.skips_errors, i.parts, coalesce(i.part_sha256, ''),
    i.encoding, i.header, i.rest, i.lines, i.imported, i.rejected, i.created_at, i.created_by, i.finished_at,
    i.cancelled
    """

  private static let createStatement = Statement(
    "imports-create",
    """
    INSERT INTO imports (app, kind, groupseq, created_by, skips_errors, encoding) VALUES ($1, $2, $3, $4, $5, $6)
    RETURNING import
    """)

  package static func create(
    _ kind: Kind, of app: App.Number, group: Groups.Number?, skipsErrors: Bool, encoding: FileEncoding?, by name: String
  ) -> Query<Number> {
    Query(one: createStatement, app, kind.rawValue, group, name, skipsErrors, encoding?.rawValue) { $0.int64() }
  }

  private static let findStatement = Statement(
    "imports-find", "SELECT \(columnList) FROM imports i JOIN apps a ON a.app = i.app WHERE i.import = $1")
  private static let lockStatement = Statement(
    "imports-lock",
    "SELECT \(columnList) FROM imports i JOIN apps a ON a.app = i.app WHERE i.import = $1 FOR UPDATE OF i")

  package static func find(_ number: Number) -> Query<Record?> { one(findStatement, number) }
  /// Locks an import, so that no other transaction accepts a part of it until this one ends, and returns the import;
  /// nil if there is none.
  package static func lock(_ number: Number) -> Query<Record?> { one(lockStatement, number) }

  private static func one(_ statement: Statement, _ number: Number) -> Query<Record?> {
    Query(statement, number) { records($0).first }
  }

  private static let listStatement = Statement(
    "imports-list",
    """
    SELECT \(columnList) FROM imports i JOIN apps a ON a.app = i.app
    WHERE i.app = $1 AND i.import < $2 ORDER BY i.import DESC LIMIT $3
    """)

  /// Returns at most `limit` imports of an app with numbers below `number`, newest first.
  package static func list(of app: App.Number, before number: Number, limit: Int) -> Query<[Record]> {
    Query(listStatement, app, number, limit, read: records)
  }

  private static let saveStatement = Statement(
    "imports-save",
    """
    UPDATE imports SET parts = $2, part_sha256 = $3, header = $4, rest = $5, lines = $6, imported = $7, rejected = $8,
      finished_at = CASE WHEN $9 THEN clock_timestamp() END, encoding = $10
    WHERE import = $1
    """)

  /// Saves the progress of an import, which the caller must have locked. Sets its end to the database's time if
  /// `isFinished`, otherwise to nil.
  package static func save(_ record: Record, isFinished: Bool) -> Query<Void> {
    Query(
      saveStatement, record.number, record.parts, record.partSHA256, record.header, record.rest, record.lines,
      record.imported, record.rejected, isFinished, record.encoding?.rawValue
    ) { _ in }
  }

  private static let cancelStatement = Statement(
    "imports-cancel",
    "UPDATE imports SET cancelled = true, finished_at = clock_timestamp(), rest = '' WHERE import = $1")

  /// Ends an open import, which the caller must have locked, at the database's time. Keeps its counts, and deletes its
  /// unfinished last line.
  package static func cancel(_ number: Number) -> Query<Void> {
    Query(cancelStatement, number) { _ in }
  }

  // MARK: Stored parts

  private static let keepStatement = Statement(
    "imports-keep-part", "INSERT INTO import_parts (import, part, lines) VALUES ($1, $2, $3)")

  /// Stores a part of an import whose parts all take effect together when the last part has arrived. Fails if this part
  /// is stored already.
  package static func keep(_ part: Int32, _ bytes: [UInt8], of number: Number) -> Query<Void> {
    Query(keepStatement, number, part, bytes) { _ in }
  }

  private static let storedStatement = Statement(
    "imports-stored-parts",
    "SELECT count(*) FROM import_parts p JOIN imports i ON i.import = p.import WHERE i.app = $1")

  /// Returns how many parts of an app's imports are stored.
  package static func storedParts(of app: App.Number) -> Query<Int64> {
    Query(one: storedStatement, app) { $0.int64() }
  }

  private static let partStatement = Statement(
    "imports-part", "SELECT lines FROM import_parts WHERE import = $1 AND part = $2")

  package static func part(_ part: Int32, of number: Number) -> Query<[UInt8]?> {
    Query(first: partStatement, number, part) { $0.bytes() }
  }

  private static let dropStatement = Statement("imports-drop-parts", "DELETE FROM import_parts WHERE import = $1")

  package static func dropParts(of number: Number) -> Query<Void> {
    Query(dropStatement, number) { _ in }
  }

  // MARK: Errors

  package struct Fault: Sendable {
    package let line: Int64
    package let text: String
    package let error: String

    package init(line: Int64, text: String, error: String) {
      self.line = line
      self.text = text
      self.error = error
    }
  }

  private static let faultsStatement = Statement(
    "imports-add-errors",
    """
    INSERT INTO import_errors (import, line, text, error)
    SELECT $1, line, text, error FROM unnest($2, $3, $4) AS t(line, text, error)
    """)

  package static func add(_ faults: [Fault], to number: Number) -> Query<Void> {
    var lines = Int64Column()
    var texts = TextColumn()
    var errors = TextColumn()
    for fault in faults {
      lines.append(fault.line)
      texts.append(fault.text)
      errors.append(fault.error)
    }
    return Query(faultsStatement, number, lines, texts, errors) { _ in }
  }

  private static let faultListStatement = Statement(
    "imports-list-errors",
    "SELECT line, text, error FROM import_errors WHERE import = $1 AND line > $2 ORDER BY line LIMIT $3")

  package static func faults(of number: Number, after line: Int64, limit: Int) -> Query<[Fault]> {
    Query(each: faultListStatement, number, line, limit) { row in
      Fault(line: row.int64(), text: row.text(), error: row.text())
    }
  }

  private static func records(_ rows: Rows) -> [Record] {
    rows.decode { row in
      Record(
        number: row.int64(), app: row.int32(), appID: row.text(),
        kind: Kind(rawValue: row.int16()) ?? .users, group: row.optionalInt64(),
        skipsErrors: row.bool(), parts: row.int32(),
        partSHA256: row.bytes(),
        encoding: row.optionalInt16().flatMap(FileEncoding.init),
        header: row.optionalText(),
        rest: row.bytes(), lines: row.int64(), imported: row.int64(),
        rejected: row.int64(),
        createdAt: row.timestamp(), createdBy: row.text(),
        finishedAt: row.optionalTimestamp(), isCancelled: row.bool())
    }
  }
}
