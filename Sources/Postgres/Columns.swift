/// Columns of a batch, for `unnest($1::int8[], …)`: append one value per row, pass the column to `Parameters`, call
/// `removeAll()` and reuse it. Memory is kept, so a steady batch does not allocate. Values are copied when passed. Not
/// thread-safe: one owner.
///
/// Each is a type of its own rather than one generic type: appending runs once per row and column, and a call into
/// another module is cheap only if nothing is left to specialise.

/// A column of `int8`.
package struct Int64Column: Sendable {
  var fields = BinaryFields()
  /// Rows so far.
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

/// A column of `int4`.
package struct Int32Column: Sendable {
  var fields = BinaryFields()
  /// Rows so far.
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

/// A column of `int2`.
package struct Int16Column: Sendable {
  var fields = BinaryFields()
  /// Rows so far.
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

/// A column of `bool`.
package struct BoolColumn: Sendable {
  var fields = BinaryFields()
  /// Rows so far.
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

/// A column of `uuid`.
package struct UUIDColumn: Sendable {
  var fields = BinaryFields()
  /// Rows so far.
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

/// A column of `timestamptz`; values are microseconds since 1970-01-01 UTC.
package struct TimestampColumn: Sendable {
  var fields = BinaryFields()
  /// Rows so far.
  package private(set) var count = 0

  package init() {}

  package mutating func append(_ microseconds: Int64?) {
    fields.append(timestampMicroseconds: microseconds)
    count += 1
  }

  package mutating func removeAll() {
    fields.removeAll()
    count = 0
  }
}
