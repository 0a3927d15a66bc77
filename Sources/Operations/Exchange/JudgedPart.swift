internal import Postgres
internal import Store

/// The next part of an import, parsed and validated before the import is locked. It holds as long as no other part of
/// the import is accepted.
struct JudgedPart {
  /// The import's record as the part's lines change it: header, encoding, unfinished last line and counts.
  let record: Imports.Record
  let batch: ImportBatch
  /// All parts, with the last part of an import that skips no errors and in which no line was invalid; otherwise nil.
  let whole: Whole?

  /// The parts of an import that is imported at once, each validated anew.
  struct Whole {
    let batches: [ImportBatch]
    let imported: Int64
    let rejected: Int64
  }

  /// Parses and validates a part. Writes nothing.
  /// - Parameter present: the import, of which this must be the next part.
  init(_ part: ImportPart, of present: Imports.Record, on connection: Connection) throws(PostgresError) {
    var record = present
    let lines = try ImportLines(part, &record, on: connection)
    batch = try ImportBatch(lines, &record, on: connection)
    if part.isLast, !record.skipsErrors, record.rejected == 0 {
      whole = try Self.whole(upTo: part, of: record, on: connection)
    } else {
      whole = nil
    }
    self.record = record
  }

  /// Prevents the deletion of the groups that users join until the transaction ends. Returns false if one was deleted
  /// since the part was judged, which must then be judged anew.
  func holdGroups(on connection: Connection) throws(PostgresError) -> Bool {
    var groups = batch.groups
    for batch in whole?.batches ?? [] { groups.formUnion(batch.groups) }
    guard !groups.isEmpty else { return true }
    return try connection.run(Groups.hold(groups)).count == groups.count
  }

  private static func whole(
    upTo last: ImportPart, of record: Imports.Record, on connection: Connection
  ) throws(PostgresError) -> Whole {
    var again = record.fresh
    var batches: [ImportBatch] = []
    for number in 1...last.number {
      let bytes = number == last.number ? last.bytes : try connection.run(Imports.part(number, of: record.number))
      let lines = try ImportLines(
        ImportPart(number: number, bytes: bytes ?? [], isLast: number == last.number), &again, on: connection)
      batches.append(try ImportBatch(lines, &again, on: connection))
    }
    return Whole(batches: batches, imported: again.imported, rejected: again.rejected)
  }
}
