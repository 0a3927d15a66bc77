/// The part of a body that a `Range` header requests (RFC 9110 §14).
package enum ByteRange: Equatable, Sendable {
  /// The whole body: the header is absent, malformed, or has another unit than bytes. Multiple ranges are ignored, too,
  /// as RFC 9110 §14.2 allows.
  case whole
  case part(Range<Int>)
  /// The range begins at or after the end of the body, asks for its last 0 bytes, or the body is empty: the response is
  /// 416.
  case unsatisfiable

  /// Parses a `Range` header into one of the cases; a malformed or unsupported one becomes `whole`.
  /// - Parameters:
  ///   - field: value of the `Range` header; nil if there is none.
  ///   - length: size of the whole body in bytes.
  package init(_ field: String?, length: Int) {
    self = .whole
    guard let field, field.lowercased().hasPrefix("bytes=") else { return }
    let ends = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false).map(Self.trimmed)
    guard ends.count == 2, !ends.contains(where: { $0.contains(",") }) else { return }
    if ends[0].isEmpty {
      guard let count = Self.number(ends[1]) else { return }
      self = count == 0 || length == 0 ? .unsatisfiable : .part(max(0, length - count)..<length)
      return
    }
    guard let first = Self.number(ends[0]) else { return }
    var last = length - 1
    if !ends[1].isEmpty {
      // A range whose end precedes its start is invalid and therefore ignored.
      guard let given = Self.number(ends[1]), given >= first else { return }
      last = min(given, last)
    }
    self = first < length ? .part(first..<last + 1) : .unsatisfiable
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text = text.dropLast() }
    return text
  }

  /// Parses a number of ASCII digits; one too large for `Int` becomes the largest `Int`. Returns nil if the text is
  /// empty or contains anything else.
  private static func number(_ digits: Substring) -> Int? {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(digits) ?? .max
  }
}

extension ByteRange {
  /// Returns the value of `Content-Range` for a 206.
  /// - Parameters:
  ///   - part: the range of bytes that is sent; not empty.
  ///   - length: size of the whole body in bytes.
  package static func contentRange(_ part: Range<Int>, of length: Int) -> String {
    "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
  }
}
