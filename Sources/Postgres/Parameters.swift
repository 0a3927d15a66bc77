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
  /// True while a column is appended for `unnest`.
  private var isUnnested = false

  struct Slot {
    let type: OID
    /// Offset of the value in `bytes`; −1 for NULL.
    let offset: Int
    let count: Int
  }

  package init() {}

  package var count: Int { slots.count }

  /// PostgreSQL types of the values. The first execution of a statement that is kept prepared (`Statement.isKept`)
  /// fixes them for the session; another execution with other types traps.
  package var types: [OID] { slots.map(\.type) }

  /// Removes all values but keeps the allocated memory.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(0)
    slots.removeAll(keepingCapacity: true)
    refusal = nil
  }

  package mutating func append(_ value: some ParameterValue) {
    value.append(to: &self)
  }

  /// Appends a column for an `unnest` of several ones, which fills up shorter arrays with NULLs: a column whose values
  /// are all NULL becomes an empty array, because the server would otherwise store and fetch every NULL. At least one
  /// of the columns must contain a value, or there are no rows.
  package mutating func append(unnested column: some ParameterValue) {
    isUnnested = true
    column.append(to: &self)
    isUnnested = false
  }

  // MARK: Encoding

  /// Appends a value that `write` encodes; NULL if it is nil.
  mutating func add<Value>(_ type: OID, _ value: Value?, _ write: (inout [UInt8], Value) -> Void) {
    let offset = bytes.count
    if let value { write(&bytes, value) }
    slots.append(Slot(type: type, offset: value == nil ? -1 : offset, count: bytes.count - offset))
  }

  /// Sets `refusal` if the last value contains U+0000, which PostgreSQL's text types cannot hold. No effect on NULL.
  mutating func refuseZeroInLast() {
    guard let slot = slots.last, slot.offset >= 0 else { return }
    if bytes.span.extracting(slot.offset..<bytes.count).containsZero { refusal = .containsNUL }
  }

  /// Appends a one-dimensional array (`array_recv`): dimensions, null flag, element type, length, lower bound,
  /// elements. Sets `refusal` if one of the elements contains U+0000.
  mutating func add(_ type: OID, of element: OID, _ fields: BinaryFields, count: Int) {
    if fields.containsNUL { refusal = .containsNUL }
    let offset = bytes.count
    let count = isUnnested && fields.nulls == count ? 0 : count
    bytes.append(bigEndian: Int32(count == 0 ? 0 : 1))
    bytes.append(bigEndian: Int32(fields.nulls > 0 ? 1 : 0))
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

  /// Calls `body` with pointers to the values, valid only during the call. Traps if there are more than
  /// `Postgres.Limits.parametersPerStatement` values.
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
