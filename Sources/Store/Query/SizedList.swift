internal import Postgres

/// The rows of a list, which ends once their texts have a certain size. Clients may store thousands of texts of the
/// greatest length; all of them at once would fill the server's memory.
package struct SizedList<Record> {
  package let records: [Record]
  /// True if the list ends because of the size, so that rows are left out.
  package let isCut: Bool

  /// Decodes rows whose last column, which `read` leaves, is the number of rows with those that are left out.
  init(_ rows: Rows, _ read: (inout RowReader) -> Record) {
    var found: Int64 = 0
    records = rows.decode { row in
      let record = read(&row)
      found = row.int64()
      return record
    }
    isCut = found > Int64(records.count)
  }
}
