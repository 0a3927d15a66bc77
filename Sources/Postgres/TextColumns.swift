/// A column of `text`. Once a value has contained U+0000, the whole statement it is sent with is refused.
package struct TextColumn: Sendable {
  var fields = BinaryFields()
  /// Rows so far.
  package private(set) var count = 0
  /// True if a value contained U+0000.
  package var containsNUL: Bool { fields.containsNUL }

  package init() {}

  package mutating func append(_ value: String?) {
    fields.append(text: value)
    count += 1
  }

  /// Appends text that is already UTF-8, without creating a `String`. The server refuses invalid UTF-8 (22021).
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
  /// Rows so far.
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

/// A column of `jsonb`; values are JSON texts, which the server checks (22P02).
package struct JSONColumn: Sendable {
  var fields = BinaryFields()
  /// Rows so far.
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
