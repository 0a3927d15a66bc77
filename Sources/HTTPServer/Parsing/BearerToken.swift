/// Extracts the token of `Authorization: Bearer …` (RFC 6750 §2.1).
package enum BearerToken {
  /// Returns the token in a request's headers, whose names must be lower-case. Returns nil if there is no Authorization
  /// header, if there are several, which would be ambiguous, or if it has another scheme or a malformed token (see
  /// `read`).
  package static func find(in headers: [(name: String, value: String)]) -> String? {
    let values = headers.filter { $0.name == "authorization" }
    return values.count == 1 ? read(values[0].value) : nil
  }

  /// Returns the token in a header value. The scheme is case-insensitive and followed by one or more spaces (RFC 9110
  /// §11.4). Returns nil for another scheme, or if the token is empty or contains spaces or tabs.
  static func read(_ value: String) -> String? {
    let scheme = "bearer "
    guard value.utf8.count > scheme.utf8.count, value.prefix(scheme.count).lowercased() == scheme else { return nil }
    let token = value.dropFirst(scheme.count).drop { $0 == " " }
    guard !token.isEmpty, !token.utf8.contains(where: { $0 == 0x20 || $0 == 0x09 }) else { return nil }
    return String(token)
  }
}

extension Request {
  /// The token of `Authorization: Bearer …`; nil in the cases of `BearerToken.find`.
  package var bearerToken: String? {
    // Most requests have no Authorization header: avoid copying their headers.
    withHeader("authorization") { _ in true } == nil ? nil : BearerToken.find(in: headers)
  }
}

extension OwnedRequest {
  /// The token of `Authorization: Bearer …`; nil in the cases of `BearerToken.find`.
  package var bearerToken: String? { BearerToken.find(in: headers) }
}
