package import Time

/// A Swift value that can be passed to a statement. Its type fixes the PostgreSQL type, so that the SQL needs no cast.
package protocol ParameterValue {
  func append(to parameters: inout Parameters)
}

/// A parameter that may be nil, which is sent as NULL.
package protocol NullableParameterValue: ParameterValue {
  static func append(_ value: Self?, to parameters: inout Parameters)
}

extension NullableParameterValue {
  package func append(to parameters: inout Parameters) {
    Self.append(self, to: &parameters)
  }
}

extension Optional: ParameterValue where Wrapped: NullableParameterValue {
  package func append(to parameters: inout Parameters) {
    Wrapped.append(self, to: &parameters)
  }
}

extension Parameters {
  /// Creates the values of `$1`, `$2` … in order.
  package init<each Value: ParameterValue>(_ values: repeat each Value) {
    self.init()
    repeat append(each values)
  }

  /// Creates the values of `$1`, `$2` … in order, each as `append(unnested:)` does.
  package init<each Column: ParameterValue>(unnesting columns: repeat each Column) {
    self.init()
    repeat append(unnested: each columns)
  }
}

// MARK: Single values

/// Encodes `Int64` as `int8`.
extension Int64: NullableParameterValue {
  package static func append(_ value: Self?, to parameters: inout Parameters) {
    parameters.add(.int8, value) { $0.append(bigEndian: $1) }
  }
}

/// Encodes `Int` as `int8`.
extension Int: NullableParameterValue {
  package static func append(_ value: Self?, to parameters: inout Parameters) {
    Int64.append(value.map(Int64.init), to: &parameters)
  }
}

/// Encodes `Int32` as `int4`.
extension Int32: NullableParameterValue {
  package static func append(_ value: Self?, to parameters: inout Parameters) {
    parameters.add(.int4, value) { $0.append(bigEndian: $1) }
  }
}

/// Encodes `Int16` as `int2`.
extension Int16: NullableParameterValue {
  package static func append(_ value: Self?, to parameters: inout Parameters) {
    parameters.add(.int2, value) { $0.append(bigEndian: $1) }
  }
}

/// Encodes `Bool` as `bool`.
extension Bool: NullableParameterValue {
  package static func append(_ value: Self?, to parameters: inout Parameters) {
    parameters.add(.bool, value) { $0.append($1 ? 1 : 0) }
  }
}

/// Encodes `String` as `text`. A statement with U+0000 in a text is refused.
extension String: NullableParameterValue {
  package static func append(_ value: Self?, to parameters: inout Parameters) {
    parameters.add(.text, value) { $0.append(contentsOf: $1.utf8) }
    parameters.refuseZeroInLast()
  }
}

/// Encodes `[UInt8]` as `bytea`.
extension Array: ParameterValue, NullableParameterValue where Element == UInt8 {
  package static func append(_ value: Self?, to parameters: inout Parameters) {
    parameters.add(.bytea, value) { $0.append(contentsOf: $1) }
  }
}

/// Encodes `UUIDValue` as `uuid`.
extension UUIDValue: NullableParameterValue {
  package static func append(_ value: Self?, to parameters: inout Parameters) {
    parameters.add(.uuid, value) {
      $0.append(bigEndian: $1.high)
      $0.append(bigEndian: $1.low)
    }
  }
}

/// Encodes `Timestamp` as `timestamptz`.
extension Timestamp: NullableParameterValue {
  package static func append(_ value: Self?, to parameters: inout Parameters) {
    parameters.add(.timestamptz, value) { $0.append(bigEndian: PostgresEpoch.stored($1)) }
  }
}

/// A JSON document, sent as `jsonb`. The server rejects invalid JSON (22P02); a statement with U+0000 in a document is
/// refused before it is sent.
package struct JSONValue: NullableParameterValue {
  private let text: String

  package init(_ text: String) {
    self.text = text
  }

  package init?(_ text: String?) {
    guard let text else { return nil }
    self.text = text
  }

  package static func append(_ value: Self?, to parameters: inout Parameters) {
    parameters.add(.jsonb, value) {
      $0.append(BinaryFields.jsonbVersion)
      $0.append(contentsOf: $1.text.utf8)
    }
    parameters.refuseZeroInLast()
  }
}

// MARK: Whole columns

extension Int64Column: ParameterValue {
  package func append(to parameters: inout Parameters) {
    parameters.add(.int8Array, of: .int8, fields, count: count)
  }
}

extension Int32Column: ParameterValue {
  package func append(to parameters: inout Parameters) {
    parameters.add(.int4Array, of: .int4, fields, count: count)
  }
}

extension Int16Column: ParameterValue {
  package func append(to parameters: inout Parameters) {
    parameters.add(.int2Array, of: .int2, fields, count: count)
  }
}

extension BoolColumn: ParameterValue {
  package func append(to parameters: inout Parameters) {
    parameters.add(.boolArray, of: .bool, fields, count: count)
  }
}

extension TextColumn: ParameterValue {
  package func append(to parameters: inout Parameters) {
    parameters.add(.textArray, of: .text, fields, count: count)
  }
}

extension BytesColumn: ParameterValue {
  package func append(to parameters: inout Parameters) {
    parameters.add(.byteaArray, of: .bytea, fields, count: count)
  }
}

extension UUIDColumn: ParameterValue {
  package func append(to parameters: inout Parameters) {
    parameters.add(.uuidArray, of: .uuid, fields, count: count)
  }
}

extension TimestampColumn: ParameterValue {
  package func append(to parameters: inout Parameters) {
    parameters.add(.timestamptzArray, of: .timestamptz, fields, count: count)
  }
}

extension JSONColumn: ParameterValue {
  package func append(to parameters: inout Parameters) {
    parameters.add(.jsonbArray, of: .jsonb, fields, count: count)
  }
}
