internal import Glibc
internal import Time

/// An encoder for sequences of values in PostgreSQL's binary format, each preceded by its length.
///
/// Array elements and COPY fields share this format: four bytes of length (−1 for NULL), then the value in big-endian
/// order. Source: PostgreSQL documentation 55.7, and the server's `array_send` and `CopySendInt32`.
struct BinaryFields {
  private(set) var bytes: [UInt8] = []
  /// Number of values that are NULL.
  private(set) var nulls = 0
  /// True if a text contains U+0000. PostgreSQL rejects it, so the statement must not be sent.
  private(set) var containsNUL = false

  /// Format version that precedes the text of a `jsonb` value (`jsonb_recv`).
  static let jsonbVersion: UInt8 = 1

  /// Removes all values but keeps the allocated memory.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    nulls = 0
    containsNUL = false
  }

  /// Appends bytes without a length prefix, such as a header.
  mutating func append(raw header: [UInt8]) {
    bytes.append(contentsOf: header)
  }

  mutating func append(rawNumber number: Int16) {
    bytes.append(bigEndian: number)
  }

  mutating func appendNull() {
    nulls += 1
    bytes.append(bigEndian: Int32(-1))
  }

  mutating func append(_ value: Int64?) {
    guard let value else { return appendNull() }
    bytes.append(bigEndian: Int32(8))
    bytes.append(bigEndian: value)
  }

  mutating func append(_ value: Int32?) {
    guard let value else { return appendNull() }
    bytes.append(bigEndian: Int32(4))
    bytes.append(bigEndian: value)
  }

  mutating func append(_ value: Int16?) {
    guard let value else { return appendNull() }
    bytes.append(bigEndian: Int32(2))
    bytes.append(bigEndian: value)
  }

  mutating func append(_ value: Bool?) {
    guard let value else { return appendNull() }
    bytes.append(bigEndian: Int32(1))
    bytes.append(value ? 1 : 0)
  }

  mutating func append(text value: String?) {
    guard var value else { return appendNull() }
    value.withUTF8 { utf8 in append(utf8: unsafe Span(_unsafeElements: utf8)) }
  }

  mutating func append(utf8 value: Span<UInt8>) {
    bytes.append(bigEndian: Int32(value.count))
    if value.containsZero { containsNUL = true }
    bytes.append(value)
  }

  mutating func append(bytes value: [UInt8]?) {
    guard let value else { return appendNull() }
    bytes.append(bigEndian: Int32(value.count))
    bytes.append(contentsOf: value)
  }

  mutating func append(uuid value: UUIDValue?) {
    guard let value else { return appendNull() }
    bytes.append(bigEndian: Int32(16))
    bytes.append(bigEndian: value.high)
    bytes.append(bigEndian: value.low)
  }

  mutating func append(timestamp value: Timestamp?) {
    append(value.map(PostgresEpoch.stored))
  }

  mutating func append(json value: String?) {
    guard var value else { return appendNull() }
    value.withUTF8 { utf8 in
      bytes.append(bigEndian: Int32(utf8.count + 1))
      bytes.append(BinaryFields.jsonbVersion)
      let span = unsafe Span(_unsafeElements: utf8)
      if span.containsZero { containsNUL = true }
      bytes.append(span)
    }
  }
}

/// Encodes integers in big-endian order, as PostgreSQL's binary format requires.
extension Array where Element == UInt8 {
  /// Appends an integer in big-endian order.
  mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
    // Safe: the bytes are those of a local value, and are copied before it goes out of scope.
    unsafe Swift.withUnsafeBytes(of: number.bigEndian) { raw in unsafe append(contentsOf: raw) }
  }

  mutating func append(_ span: Span<UInt8>) {
    // Safe: the span's bytes are valid during the call.
    unsafe span.withUnsafeBytes { raw in unsafe append(contentsOf: raw) }
  }
}

extension Span<UInt8> {
  /// True if the span contains a zero byte.
  var containsZero: Bool {
    // Safe: memchr reads only the bytes of the span.
    unsafe withUnsafeBytes { raw in
      guard let start = raw.baseAddress, raw.count > 0 else { return false }
      return unsafe memchr(start, 0, raw.count) != nil
    }
  }
}

/// Converts between PostgreSQL's timestamps (microseconds since 2000-01-01 UTC) and ours.
enum PostgresEpoch {
  /// Microseconds between the two epochs: 10,957 days.
  private static let unixMicroseconds: Int64 = 946_684_800_000_000

  /// Converts to PostgreSQL's epoch. A time that is too early for it becomes a value that the server rejects (22008),
  /// and not `-infinity`.
  static func stored(_ time: Timestamp) -> Int64 {
    let (value, overflow) = time.microseconds.subtractingReportingOverflow(unixMicroseconds)
    return overflow ? .min + 1 : max(value, .min + 1)
  }

  /// Converts from PostgreSQL's epoch. `infinity` becomes `.max`, as do times too late for a `Timestamp`; `-infinity`
  /// becomes `.min`.
  static func timestamp(_ stored: Int64) -> Timestamp {
    let (value, overflow) = stored.addingReportingOverflow(unixMicroseconds)
    if stored == .min { return .min }
    return overflow ? .max : Timestamp(microseconds: value)
  }
}
