/// The values of `$1`, `$2` … for one execution of a statement, in PostgreSQL's binary format.
///
/// Each value is sent with its type, so SQL needs casts only where types actually differ. If a text contains U+0000,
/// running the statement throws a `PostgresError` (22021) without sending anything.
package struct Parameters: Sendable {
  /// The encoded values, one after the other. The first byte is padding, so that an empty value at the start has an
  /// address: libpq takes a null pointer for NULL.
  private var bytes: [UInt8] = [0]
  private var slots: [Slot] = []
  /// Error to throw instead of sending the values; nil if they may be sent.
  package private(set) var refusal: PostgresError?

  struct Slot {
    let type: OID
    /// Offset of the value in `bytes`; −1 for NULL.
    let offset: Int
    let count: Int
  }

  package init() {}

  package var count: Int { slots.count }

  /// PostgreSQL types of the values. The first execution of a statement fixes them for the session.
  package var types: [OID] { slots.map(\.type) }

  /// Removes all values but keeps the allocated memory.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(0)
    slots.removeAll(keepingCapacity: true)
    refusal = nil
  }

  // MARK: Single values

  package mutating func append(_ value: Int64?) {
    add(.int8, value) { $0.append(bigEndian: $1) }
  }

  /// Appends an `int8`.
  package mutating func append(_ value: Int?) {
    append(value.map(Int64.init))
  }

  package mutating func append(_ value: Int32?) {
    add(.int4, value) { $0.append(bigEndian: $1) }
  }

  package mutating func append(_ value: Int16?) {
    add(.int2, value) { $0.append(bigEndian: $1) }
  }

  package mutating func append(_ value: Bool?) {
    add(.bool, value) { $0.append($1 ? 1 : 0) }
  }

  package mutating func append(text value: String?) {
    add(.text, value) { $0.append(contentsOf: $1.utf8) }
    refuseZeroInLast()
  }

  package mutating func append(bytes value: [UInt8]?) {
    add(.bytea, value) { $0.append(contentsOf: $1) }
  }

  package mutating func append(uuid value: UUIDValue?) {
    add(.uuid, value) {
      $0.append(bigEndian: $1.high)
      $0.append(bigEndian: $1.low)
    }
  }

  /// Appends a `timestamptz`, given in microseconds since 1970-01-01 UTC.
  package mutating func append(timestampMicroseconds value: Int64?) {
    add(.timestamptz, value) { $0.append(bigEndian: PostgresEpoch.fromUnix($1)) }
  }

  /// Appends a `jsonb`. The server rejects invalid JSON (22P02).
  package mutating func append(json value: String?) {
    add(.jsonb, value) {
      $0.append(BinaryFields.jsonbVersion)
      $0.append(contentsOf: $1.utf8)
    }
    refuseZeroInLast()
  }

  private mutating func add<Value>(_ type: OID, _ value: Value?, _ write: (inout [UInt8], Value) -> Void) {
    let offset = bytes.count
    if let value { write(&bytes, value) }
    slots.append(Slot(type: type, offset: value == nil ? -1 : offset, count: bytes.count - offset))
  }

  private mutating func refuseZeroInLast() {
    guard let slot = slots.last, slot.offset >= 0 else { return }
    if bytes.span.extracting(slot.offset..<bytes.count).containsZero { refusal = .containsNUL }
  }

  // MARK: Whole columns

  package mutating func append(int64s column: Int64Column) {
    add(.int8Array, of: .int8, column.fields, count: column.count)
  }

  package mutating func append(int32s column: Int32Column) {
    add(.int4Array, of: .int4, column.fields, count: column.count)
  }

  package mutating func append(int16s column: Int16Column) {
    add(.int2Array, of: .int2, column.fields, count: column.count)
  }

  package mutating func append(bools column: BoolColumn) {
    add(.boolArray, of: .bool, column.fields, count: column.count)
  }

  package mutating func append(texts column: TextColumn) {
    add(.textArray, of: .text, column.fields, count: column.count)
  }

  package mutating func append(bytes column: BytesColumn) {
    add(.byteaArray, of: .bytea, column.fields, count: column.count)
  }

  package mutating func append(uuids column: UUIDColumn) {
    add(.uuidArray, of: .uuid, column.fields, count: column.count)
  }

  package mutating func append(timestamps column: TimestampColumn) {
    add(.timestamptzArray, of: .timestamptz, column.fields, count: column.count)
  }

  package mutating func append(jsons column: JSONColumn) {
    add(.jsonbArray, of: .jsonb, column.fields, count: column.count)
  }

  /// Appends a one-dimensional array (`array_recv`): dimensions, null flag, element type, length, lower bound,
  /// elements.
  private mutating func add(_ type: OID, of element: OID, _ fields: BinaryFields, count: Int) {
    if fields.containsNUL { refusal = .containsNUL }
    let offset = bytes.count
    bytes.append(bigEndian: Int32(count == 0 ? 0 : 1))
    bytes.append(bigEndian: Int32(fields.hasNull ? 1 : 0))
    bytes.append(bigEndian: element.rawValue)
    if count > 0 {
      bytes.append(bigEndian: Int32(count))
      bytes.append(bigEndian: Int32(1))
      bytes.append(contentsOf: fields.bytes)
    }
    slots.append(Slot(type: type, offset: offset, count: bytes.count - offset))
  }

  // MARK: For libpq

  /// Arguments for `PQsendQueryPrepared` and similar calls: a null pointer means NULL, and all formats are 1 (binary).
  @unsafe
  struct Pointers {
    let count: Int32
    let values: UnsafePointer<UnsafePointer<CChar>?>?
    let lengths: UnsafePointer<Int32>?
    let formats: UnsafePointer<Int32>?
  }

  /// Calls `body` with pointers to the values, valid only during the call.
  func withPointers<Result>(_ body: (Pointers) -> Result) -> Result {
    precondition(count <= Postgres.Limits.parametersPerStatement, "more parameters than the protocol can count")
    // Safe: all four arrays outlive the call, and each offset lies inside `bytes`.
    return unsafe bytes.withUnsafeBytes { raw in
      let values: [UnsafePointer<CChar>?] = unsafe slots.map { slot in
        unsafe slot.offset < 0 ? nil : (raw.baseAddress! + slot.offset).assumingMemoryBound(to: CChar.self)
      }
      let lengths = slots.map { Int32($0.count) }
      let formats = [Int32](repeating: 1, count: slots.count)
      return unsafe values.withUnsafeBufferPointer { values in
        unsafe lengths.withUnsafeBufferPointer { lengths in
          unsafe formats.withUnsafeBufferPointer { formats in
            unsafe body(
              Pointers(
                count: Int32(slots.count), values: values.baseAddress, lengths: lengths.baseAddress,
                formats: formats.baseAddress))
          }
        }
      }
    }
  }
}
