package import Time

/// Columns for batched statements, as in `unnest($1::int8[], …)`: append one value per row, pass the column to
/// `Parameters`, call `removeAll()` and reuse it. Memory is kept between uses, and values are copied when passed. Not
/// thread-safe: one owner.
///
/// There is one type per SQL type instead of a generic one, because `append` runs once per row and column, and a call
/// into another module is fast only if it needs no specialization.

/// One value per row for an SQL column of type `int8`, passed as `int8[]`; nil becomes NULL.
package struct Int64Column: Sendable {
  var fields = BinaryFields()
  /// Number of rows appended since the creation or the last `removeAll`.
  package private(set) var count = 0

  package init() {}

  package mutating func append(_ value: Int64?) {
    fields.append(value)
    count += 1
  }

  package mutating func removeAll() {
    fields.removeAll()
    count = 0
  }
}

/// One value per row for an SQL column of type `int4`, passed as `int4[]`; nil becomes NULL.
package struct Int32Column: Sendable {
  var fields = BinaryFields()
  /// Number of rows appended since the creation or the last `removeAll`.
  package private(set) var count = 0

  package init() {}

  package mutating func append(_ value: Int32?) {
    fields.append(value)
    count += 1
  }

  package mutating func removeAll() {
    fields.removeAll()
    count = 0
  }
}

/// One value per row for an SQL column of type `int2`, passed as `int2[]`; nil becomes NULL.
package struct Int16Column: Sendable {
  var fields = BinaryFields()
  /// Number of rows appended since the creation or the last `removeAll`.
  package private(set) var count = 0

  package init() {}

  package mutating func append(_ value: Int16?) {
    fields.append(value)
    count += 1
  }

  package mutating func removeAll() {
    fields.removeAll()
    count = 0
  }
}

/// One value per row for an SQL column of type `bool`, passed as `bool[]`; nil becomes NULL.
package struct BoolColumn: Sendable {
  var fields = BinaryFields()
  /// Number of rows appended since the creation or the last `removeAll`.
  package private(set) var count = 0

  package init() {}

  package mutating func append(_ value: Bool?) {
    fields.append(value)
    count += 1
  }

  package mutating func removeAll() {
    fields.removeAll()
    count = 0
  }
}

/// One value per row for an SQL column of type `uuid`, passed as `uuid[]`; nil becomes NULL.
package struct UUIDColumn: Sendable {
  var fields = BinaryFields()
  /// Number of rows appended since the creation or the last `removeAll`.
  package private(set) var count = 0

  package init() {}

  package mutating func append(_ value: UUIDValue?) {
    fields.append(uuid: value)
    count += 1
  }

  package mutating func removeAll() {
    fields.removeAll()
    count = 0
  }
}

/// One value per row for an SQL column of type `timestamptz`, passed as `timestamptz[]`; nil becomes NULL.
package struct TimestampColumn: Sendable {
  var fields = BinaryFields()
  /// Number of rows appended since the creation or the last `removeAll`.
  package private(set) var count = 0

  package init() {}

  package mutating func append(_ time: Timestamp?) {
    fields.append(timestamp: time)
    count += 1
  }

  package mutating func removeAll() {
    fields.removeAll()
    count = 0
  }
}
