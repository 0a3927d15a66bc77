/// Parses the content codings that a client accepts (RFC 9110 §12.5.3).
package enum ContentCoding {
  /// Returns whether an `Accept-Encoding` value names gzip (or x-gzip) with a weight above zero, or accepts `*` with
  /// such a weight without naming gzip. Returns false without the header, because the client may be unable to
  /// decompress.
  package static func acceptsGzip(_ field: String?) -> Bool {
    guard let field else { return false }
    var anything = false
    for element in field.split(separator: ",") {
      let parts = element.split(separator: ";", omittingEmptySubsequences: false).map(trimmed)
      let isRefused = parts.dropFirst().contains { isZero($0) }
      switch parts[0].lowercased() {
      case "gzip", "x-gzip": return !isRefused
      case "*": anything = !isRefused
      default: break
      }
    }
    return anything
  }

  /// Returns whether the parameter is a weight of zero: `q=0`, `q=0.000`.
  private static func isZero(_ parameter: Substring) -> Bool {
    let pair = parameter.split(separator: "=", maxSplits: 1)
    guard pair.count == 2, trimmed(pair[0]).lowercased() == "q" else { return false }
    let value = trimmed(pair[1])
    return value.first == "0" && value.allSatisfy { $0 == "0" || $0 == "." }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text = text.dropLast() }
    return text
  }
}
