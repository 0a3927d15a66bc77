/// A parsed header value with parameters, such as Content-Type (RFC 9110 §8.3.1): `multipart/form-data; boundary="…"`.
struct HeaderValue {
  /// The value itself, in lower case, such as `multipart/form-data`.
  let name: String
  private var parameters: [String: String] = [:]

  init(_ text: String) throws(LegacyRefusal) {
    var rest = Substring(text)
    name = Self.take(&rest, upTo: ";").lowercased()
    while !rest.isEmpty {
      rest.removeFirst()
      var parameter = Self.takeParameter(&rest)
      guard !parameter.name.isEmpty else { continue }
      if parameter.value.hasPrefix("\""), parameter.value.hasSuffix("\""), parameter.value.count > 1 {
        parameter.value = String(parameter.value.dropFirst().dropLast())
      }
      guard parameters.updateValue(parameter.value, forKey: parameter.name) == nil else {
        throw LegacyRefusal(field: "Content-Type", "names \(parameter.name) twice")
      }
    }
  }

  /// Removes one parameter from the start of `rest`, up to a semicolon outside of quotes or the end. Returns its name
  /// in lower case, and its value, still in quotes if it is quoted. Both are empty if the parameter has no equals sign.
  private static func takeParameter(_ rest: inout Substring) -> (name: String, value: String) {
    var isQuoted = false
    let end = rest.firstIndex { character in
      if character == "\"" { isQuoted.toggle() }
      return character == ";" && !isQuoted
    }
    let parameter = rest[..<(end ?? rest.endIndex)]
    rest = rest[(end ?? rest.endIndex)...]
    guard let equals = parameter.firstIndex(of: "=") else { return ("", "") }
    return (
      trimmed(parameter[..<equals]).lowercased(), trimmed(parameter[parameter.index(after: equals)...])
    )
  }

  private static func take(_ rest: inout Substring, upTo character: Character) -> String {
    let end = rest.firstIndex(of: character) ?? rest.endIndex
    defer { rest = rest[end...] }
    return trimmed(rest[..<end])
  }

  static func trimmed(_ text: Substring) -> String {
    var rest = text
    while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return String(rest)
  }

  subscript(parameter: String) -> String? { parameters[parameter] }

  /// Throws if the header names a charset other than UTF-8 or US-ASCII. Without a charset, UTF-8 is assumed.
  func checkCharset() throws(LegacyRefusal) {
    guard let charset = parameters["charset"]?.lowercased() else { return }
    guard ["utf-8", "utf8", "us-ascii"].contains(charset) else {
      throw LegacyRefusal(.serverError, "The charset must be UTF-8.")
    }
  }

  /// Returns the multipart boundary (RFC 2046 §5.1.1) as the header names it: without the two hyphens that precede it
  /// in the body.
  /// - Throws: if it is missing or invalid.
  func boundary() throws(LegacyRefusal) -> [UInt8] {
    guard let boundary = parameters["boundary"], !boundary.isEmpty,
      boundary.utf8.count <= LegacyLimits.boundaryBytes,
      boundary.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != UInt8(ascii: "\"") }), boundary.last != " "
    else {
      throw LegacyRefusal(
        field: "Content-Type",
        "must name the boundary of its parts, 1 to \(LegacyLimits.boundaryBytes) visible characters")
    }
    return Array(boundary.utf8)
  }
}
