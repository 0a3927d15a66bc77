internal import Glibc

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
