package import Time

/// Reads the values of one row, column by column in the order in which the statement lists them.
///
/// Reading past the last column, or NULL as a non-optional value, traps. Reading a type other than the column's is a
/// programming error, too: it traps if the value's size does not fit, and otherwise returns a meaningless value.
package struct RowReader {
  private let rows: Rows
  private let index: Int
  /// Index of the column that is read next.
  private var column = 0

  fileprivate init(_ rows: Rows, _ index: Int) {
    self.rows = rows
    self.index = index
  }

  private mutating func next() -> Int {
    defer { column += 1 }
    return column
  }

  private mutating func nextUnlessNull() -> Int? {
    let column = next()
    return rows.isNull(index, column) ? nil : column
  }

  /// Skips this many columns.
  package mutating func skip(_ columns: Int) { column += columns }

  /// True if the next column is NULL. Does not advance.
  package var isNextNull: Bool { rows.isNull(index, column) }

  fileprivate func expectEnd() {
    assert(column == rows.columnCount, "\(column) of the columns \(rows.columnNames) were read")
  }

  /// Reads an `int8`, `int4` or `int2`.
  package mutating func int64() -> Int64 { rows.int64(index, next()) }
  package mutating func int32() -> Int32 { rows.int32(index, next()) }
  package mutating func int16() -> Int16 { rows.int16(index, next()) }
  package mutating func bool() -> Bool { rows.bool(index, next()) }
  /// Reads a `float8`.
  package mutating func double() -> Double { rows.double(index, next()) }
  package mutating func uuid() -> UUIDValue { rows.uuid(index, next()) }
  /// Reads a value of any text type, `json` or `jsonb`.
  package mutating func text() -> String { rows.text(index, next()) }
  package mutating func bytes() -> [UInt8] { rows.bytes(index, next()) }
  /// Reads a `timestamptz`.
  package mutating func timestamp() -> Timestamp { rows.timestamp(index, next()) }

  // MARK: Values that may be NULL

  package mutating func optionalInt64() -> Int64? { nextUnlessNull().map { rows.int64(index, $0) } }
  package mutating func optionalInt32() -> Int32? { nextUnlessNull().map { rows.int32(index, $0) } }
  package mutating func optionalInt16() -> Int16? { nextUnlessNull().map { rows.int16(index, $0) } }
  package mutating func optionalBool() -> Bool? { nextUnlessNull().map { rows.bool(index, $0) } }
  package mutating func optionalDouble() -> Double? { nextUnlessNull().map { rows.double(index, $0) } }
  package mutating func optionalUUID() -> UUIDValue? { nextUnlessNull().map { rows.uuid(index, $0) } }
  package mutating func optionalText() -> String? { nextUnlessNull().map { rows.text(index, $0) } }
  package mutating func optionalBytes() -> [UInt8]? { nextUnlessNull().map { rows.bytes(index, $0) } }
  package mutating func optionalTimestamp() -> Timestamp? { nextUnlessNull().map { rows.timestamp(index, $0) } }
}

extension Rows {
  /// Decodes each row, in order. `read` must read every column; debug builds check that.
  package func decode<Value>(_ read: (inout RowReader) -> Value) -> [Value] {
    (0..<count).map { decode($0, read) }
  }

  /// Passes each row, in order, to `body`, which must read every column; debug builds check that.
  package func forEach(_ body: (inout RowReader) -> Void) {
    for index in 0..<count { decode(index, body) }
  }

  /// Decodes each row to a key and its value. If several rows have the same key, the last one wins.
  package func dictionary<Key: Hashable, Value>(_ read: (inout RowReader) -> (Key, Value)) -> [Key: Value] {
    Dictionary(decode(read)) { _, last in last }
  }

  /// Decodes the only row. Traps if there is none, and in debug builds if there are several; otherwise decodes the
  /// first.
  package func decodeOne<Value>(_ read: (inout RowReader) -> Value) -> Value {
    assert(count == 1, "\(count) rows instead of one")
    return decode(0, read)
  }

  /// Decodes the only row. Returns nil if there is none, or if `read` returns nil. If there are several, traps in debug
  /// builds, and otherwise decodes the first.
  package func decodeFirst<Value>(_ read: (inout RowReader) -> Value?) -> Value? {
    assert(count <= 1, "\(count) rows instead of at most one")
    return count == 0 ? nil : decode(0, read)
  }

  private func decode<Value>(_ index: Int, _ read: (inout RowReader) -> Value) -> Value {
    var row = RowReader(self, index)
    defer { row.expectEnd() }
    return read(&row)
  }
}
