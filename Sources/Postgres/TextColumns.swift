/// One value per row for an SQL column of type `text`, passed as `text[]`; nil becomes NULL. If a value contains
/// U+0000, the statement to which the column is passed is rejected without being sent.
package struct TextColumn: Sendable {
  var fields = BinaryFields()
  /// Number of rows appended since the creation or the last `removeAll`.
  package private(set) var count = 0
  /// True if a value appended since the last `removeAll` contains U+0000.
  package var containsNUL: Bool { fields.containsNUL }

  package init() {}

  package mutating func append(_ value: String?) {
    fields.append(text: value)
    count += 1
  }

  /// Appends UTF-8 bytes without creating a `String`. The server rejects invalid UTF-8 (22021).
  package mutating func append(utf8 value: Span<UInt8>) {
    fields.append(utf8: value)
    count += 1
  }

  package mutating func removeAll() {
    fields.removeAll()
    count = 0
  }
}

/// One value per row for an SQL column of type `bytea`, passed as `bytea[]`; nil becomes NULL.
package struct BytesColumn: Sendable {
  var fields = BinaryFields()
  /// Number of rows appended since the creation or the last `removeAll`.
  package private(set) var count = 0

  package init() {}

  package mutating func append(_ value: [UInt8]?) {
    fields.append(bytes: value)
    count += 1
  }

  package mutating func removeAll() {
    fields.removeAll()
    count = 0
  }
}

/// One JSON text per row for an SQL column of type `jsonb`, passed as `jsonb[]`; nil becomes NULL. The server rejects
/// invalid JSON (22P02). If a text contains U+0000, the statement is rejected without being sent.
package struct JSONColumn: Sendable {
  var fields = BinaryFields()
  /// Number of rows appended since the creation or the last `removeAll`.
  package private(set) var count = 0

  package init() {}

  package mutating func append(_ value: String?) {
    fields.append(json: value)
    count += 1
  }

  package mutating func removeAll() {
    fields.removeAll()
    count = 0
  }
}
