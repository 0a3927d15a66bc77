internal import CLibPQ
internal import Glibc
package import Time

/// The result of one statement: its rows in binary format, or just the number of affected rows.
///
/// Accessing a row or column that does not exist, or reading NULL, traps. Reading a type other than the column's is a
/// programming error, too: it traps if the value's size does not fit, and otherwise returns a meaningless value. Data
/// of the right type never causes a trap. Rows and columns count from 0. Numbers are read in place from libpq's memory,
/// without copying. One owner, one thread.
@safe
package final class Rows {
  /// libpq's result handle, freed in `deinit`. Immutable.
  private let result: OpaquePointer

  /// Number of rows.
  package let count: Int
  package let columnCount: Int

  private init(owning result: OpaquePointer) {
    unsafe self.result = result
    count = unsafe Int(PQntuples(result))
    columnCount = unsafe Int(PQnfields(result))
  }

  deinit {
    unsafe PQclear(result)
  }

  /// Number of rows inserted, updated, deleted, selected or copied; 0 for statements that report none.
  package var affected: Int {
    unsafe Int(String(cString: PQcmdTuples(result))) ?? 0
  }

  package var columnNames: [String] {
    (0..<columnCount).map { column in unsafe String(cString: PQfname(result, Int32(column))) }
  }

  package func type(ofColumn column: Int) -> OID {
    precondition(column >= 0 && column < columnCount, "column \(column) of \(columnCount)")
    return unsafe OID(rawValue: PQftype(result, Int32(column)))
  }

  /// Parameter types of a described statement.
  var parameterTypes: [OID] {
    (0..<(unsafe PQnparams(result))).map { index in unsafe OID(rawValue: PQparamtype(result, index)) }
  }

  package func isNull(_ row: Int, _ column: Int) -> Bool {
    check(row, column)
    return unsafe PQgetisnull(result, Int32(row), Int32(column)) == 1
  }

  // MARK: Non-null values

  /// Reads an `int8`, `int4` or `int2`.
  package func int64(_ row: Int, _ column: Int) -> Int64 {
    let field = unsafe field(row, column)
    switch field.count {
    case 8: return unsafe Int64(bigEndian: field.loadUnaligned(as: Int64.self))
    case 4: return unsafe Int64(Int32(bigEndian: field.loadUnaligned(as: Int32.self)))
    case 2: return unsafe Int64(Int16(bigEndian: field.loadUnaligned(as: Int16.self)))
    default: preconditionFailure("column \(column) is no integer")
    }
  }

  package func int32(_ row: Int, _ column: Int) -> Int32 {
    unsafe Int32(bigEndian: fixed(row, column, bytes: 4).loadUnaligned(as: Int32.self))
  }

  package func int16(_ row: Int, _ column: Int) -> Int16 {
    unsafe Int16(bigEndian: fixed(row, column, bytes: 2).loadUnaligned(as: Int16.self))
  }

  package func bool(_ row: Int, _ column: Int) -> Bool {
    unsafe fixed(row, column, bytes: 1)[0] != 0
  }

  /// Reads a `float8`.
  package func double(_ row: Int, _ column: Int) -> Double {
    unsafe Double(bitPattern: UInt64(bigEndian: fixed(row, column, bytes: 8).loadUnaligned(as: UInt64.self)))
  }

  package func uuid(_ row: Int, _ column: Int) -> UUIDValue {
    let field = unsafe fixed(row, column, bytes: 16)
    return unsafe UUIDValue(
      high: UInt64(bigEndian: field.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: field.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  /// Reads a `timestamptz`. `infinity` and `-infinity` become `.max` and `.min`.
  package func timestamp(_ row: Int, _ column: Int) -> Timestamp {
    PostgresEpoch.timestamp(int64(row, column))
  }

  /// Reads a value of any text type, `json` or `jsonb`. Invalid UTF-8 is replaced.
  package func text(_ row: Int, _ column: Int) -> String {
    let field = unsafe field(row, column)
    let skipped = type(ofColumn: column) == .jsonb ? 1 : 0
    return unsafe String(decoding: field.dropFirst(skipped), as: UTF8.self)
  }

  package func bytes(_ row: Int, _ column: Int) -> [UInt8] {
    unsafe Array(field(row, column))
  }

  // MARK: Field access

  private func field(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
    precondition(!isNull(row, column), "NULL in row \(row), column \(column) taken for a value")
    // Safe: row and column were checked, and libpq reports the value's length.
    return unsafe UnsafeRawBufferPointer(
      start: PQgetvalue(result, Int32(row), Int32(column)), count: Int(PQgetlength(result, Int32(row), Int32(column))))
  }

  private func fixed(_ row: Int, _ column: Int, bytes: Int) -> UnsafeRawBufferPointer {
    let field = unsafe field(row, column)
    precondition(field.count == bytes, "column \(column) has another type than asked for")
    return unsafe field
  }

  private func check(_ row: Int, _ column: Int) {
    precondition(row >= 0 && row < count, "row \(row) of \(count)")
    precondition(column >= 0 && column < columnCount, "column \(column) of \(columnCount)")
  }
}

extension Rows {
  /// The meaning of a libpq result: rows, an error, or the state of a pipeline.
  enum Outcome {
    case rows(Rows)
    case error(PostgresError)
    /// The statement was not run, because an earlier one of the same submission failed.
    case aborted
    /// The synchronization point at the end of a submission.
    case synchronized
  }

  /// Interprets a libpq result and takes ownership of it.
  static func outcome(owning result: OpaquePointer) -> Outcome {
    switch unsafe PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY, PGRES_SINGLE_TUPLE:
      return unsafe .rows(Rows(owning: result))
    case PGRES_PIPELINE_SYNC:
      unsafe PQclear(result)
      return .synchronized
    case PGRES_PIPELINE_ABORTED:
      unsafe PQclear(result)
      return .aborted
    default:
      defer { unsafe PQclear(result) }
      return unsafe .error(PostgresError(reading: result))
    }
  }
}

extension PostgresError {
  /// Creates an error from the fields of a libpq error result. Without an SQLSTATE, it is an error of the connection.
  init(reading result: OpaquePointer) {
    // Safe: libpq's strings live as long as the result and are copied here.
    func field(_ code: Character) -> String? {
      guard let text = unsafe PQresultErrorField(result, Int32(code.asciiValue!)) else { return nil }
      return unsafe String(cString: text)
    }
    // Field codes are PG_DIAG_* of postgres_ext.h, character constants that Swift does not import.
    if let state = field("C") {
      self.init(origin: .server, sqlState: SQLState(rawValue: state), message: field("M") ?? "")
    } else {
      let words = unsafe String(cString: PQresultErrorMessage(result)).split(whereSeparator: \.isWhitespace)
      self.init(origin: .connection, message: words.joined(separator: " "))
    }
    detail = field("D")
    hint = field("H")
    constraint = field("n")
    table = field("t")
    column = field("c")
    position = field("P").flatMap { Int($0) }
    let severity = field("V")
    // 0A000 has many causes; only the name of the server's function identifies a plan whose result type has changed
    // (`plancache.c`).
    isStaleStatement =
      sqlState == .invalidStatementName || sqlState == .featureNotSupported && field("R") == "RevalidateCachedQuery"
    isFatal = severity == "FATAL" || severity == "PANIC"
  }
}
