/// A span in a distributed trace: trace id, span id, and whether the trace is recorded. W3C Trace Context, version 00.
///
/// ```
///   traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
///                ver         trace id (16 bytes)       span id (8)    flags
/// ```
package struct TraceContext: Sendable, Hashable {
  /// The first eight bytes of the trace id, big-endian. The two halves are not both 0.
  package let traceHigh: UInt64
  /// The last eight bytes of the trace id, big-endian.
  package let traceLow: UInt64
  /// The span id; never 0.
  package let span: UInt64
  /// True if the caller records this trace and asks the callee to do so too.
  package let isSampled: Bool

  private enum Format {
    static let length = 55
    static let dashes = [2, 35, 52]
    static let sampled: UInt64 = 1
    static let storedBytes = 25
  }

  /// Creates a context. Returns nil if an id is 0, which the specification forbids.
  package init?(traceHigh: UInt64, traceLow: UInt64, span: UInt64, isSampled: Bool) {
    guard traceHigh | traceLow != 0, span != 0 else { return nil }
    (self.traceHigh, self.traceLow, self.span, self.isSampled) = (traceHigh, traceLow, span, isSampled)
  }

  /// Parses the value of a `traceparent` header.
  ///
  /// Returns nil unless it is version 00 in its exact form: lower-case hexadecimal digits, and no id that is 0. Flags
  /// other than "sampled" are ignored, as the specification requires.
  package init?(traceparent: String) {
    let bytes = Array(traceparent.utf8)
    guard bytes.count == Format.length, Format.dashes.allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
      Self.number(bytes[0..<2]) == 0, let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]),
      let span = Self.number(bytes[36..<52]), let flags = Self.number(bytes[53..<55])
    else { return nil }
    self.init(traceHigh: high, traceLow: low, span: span, isSampled: flags & Format.sampled != 0)
  }

  /// The value of a `traceparent` header that names this span as the parent.
  package var traceparent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

  /// The trace id as 32 lower-case hexadecimal digits.
  package var traceID: String { Self.hex(traceHigh) + Self.hex(traceLow) }

  /// The span id as 16 lower-case hexadecimal digits.
  package var spanID: String { Self.hex(span) }

  /// Parses at most 16 lower-case hexadecimal digits; nil if malformed.
  private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    return number
  }

  // MARK: Children

  /// Returns a context of the same trace with a new, random span id.
  package func child() -> TraceContext {
    var numbers = SystemRandomNumberGenerator()
    return TraceContext(child: UInt64.random(in: 1...UInt64.max, using: &numbers), of: self)
  }

  /// Returns a context of the same trace with the given span id; nil if that is 0.
  package func child(_ span: UInt64) -> TraceContext? {
    span == 0 ? nil : TraceContext(child: span, of: self)
  }

  private init(child span: UInt64, of parent: TraceContext) {
    (traceHigh, traceLow, self.span, isSampled) = (parent.traceHigh, parent.traceLow, span, parent.isSampled)
  }

  // MARK: Stored form

  /// The stored form, `Format.storedBytes` long: trace id, span id (big-endian) and flags.
  package var stored: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Format.storedBytes)
    for number in [traceHigh, traceLow, span] {
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    bytes.append(isSampled ? 1 : 0)
    return bytes
  }

  /// Decodes the stored form; returns nil if it is malformed.
  package init?(stored bytes: [UInt8]) {
    guard bytes.count == Format.storedBytes else { return nil }
    let numbers = [0, 8, 16].map { start in bytes[start..<(start + 8)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
    self.init(
      traceHigh: numbers[0], traceLow: numbers[1], span: numbers[2],
      isSampled: UInt64(bytes[24]) & Format.sampled != 0)
  }

  /// Returns a span id as 16 lower-case hexadecimal digits.
  package static func spanID(_ span: UInt64) -> String { hex(span) }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
