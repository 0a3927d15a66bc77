/// The part of a body that `Range` requests (RFC 9110 §14).
package enum ByteRange: Equatable, Sendable {
  /// The whole body: no range, or none that this server understands. Multiple ranges are ignored too, as RFC 9110 §14.2
  /// allows.
  case whole
  case part(Range<Int>)
  /// The range lies outside of the body: 416.
  case unsatisfiable

  /// - Parameters:
  ///   - field: the value of `Range`; nil when there is none.
  ///   - length: of the whole body, in bytes.
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
      // A last byte before the first one is an invalid range.
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

  /// A number beyond Int counts as the largest Int.
  private static func number(_ digits: Substring) -> Int? {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int(digits) ?? .max
  }
}

extension ByteRange {
  /// `Content-Range` of a 206.
  package static func contentRange(_ part: Range<Int>, of length: Int) -> String {
    "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
  }
}
