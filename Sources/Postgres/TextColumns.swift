/// A column of `text`. If a value contains U+0000, the statement it is passed to is rejected without being sent.
package struct TextColumn: Sendable {
  var fields = BinaryFields()
  /// Number of rows appended.
  package private(set) var count = 0
  /// True if a value contained U+0000.
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

/// A column of `bytea`.
package struct BytesColumn: Sendable {
  var fields = BinaryFields()
  /// Number of rows appended.
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

/// A column of `jsonb`. Values are JSON texts; the server rejects invalid ones (22P02).
package struct JSONColumn: Sendable {
  var fields = BinaryFields()
  /// Number of rows appended.
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
