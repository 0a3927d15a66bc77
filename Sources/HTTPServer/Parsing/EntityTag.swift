/// Compares entity tags (RFC 9110 §8.8.3, §13.1).
package enum EntityTag {
  /// Returns whether the `If-None-Match` value lists the tag or is `*`. Uses weak comparison.
  /// - Parameters:
  ///   - tag: a tag in quotation marks, without `W/` and without a comma.
  ///   - field: the value of `If-None-Match`.
  package static func isListed(_ tag: String, in field: String) -> Bool {
    for candidate in field.split(separator: ",") {
      var text = candidate.drop { $0 == " " || $0 == "\t" }
      while text.last == " " || text.last == "\t" { text = text.dropLast() }
      if text == "*" { return true }
      if text.hasPrefix("W/") { text = text.dropFirst(2) }
      if text == tag { return true }
    }
    return false
  }
}
