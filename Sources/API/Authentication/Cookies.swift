/// Parses the cookies of a request (RFC 6265 §4.2.1).
enum Cookies {
  /// Returns the value of the first cookie with this name whose value is not empty; nil if there is none.
  /// - Parameter headers: with names in lower case.
  static func value(of name: String, in headers: [(name: String, value: String)]) -> String? {
    for field in headers where field.name == "cookie" {
      for pair in field.value.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { continue }
        if parts[0].drop(while: { $0 == " " }) == name { return String(parts[1]) }
      }
    }
    return nil
  }
}
