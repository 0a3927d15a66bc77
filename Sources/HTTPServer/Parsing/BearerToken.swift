/// The token of `Authorization: Bearer …` (RFC 6750 §2.1), which authenticates a request.
package enum BearerToken {
  /// The token among a request's headers; nil when there is none, or more than one such header, which would be
  /// ambiguous.
  package static func find(in headers: [(name: String, value: String)]) -> String? {
    let values = headers.filter { $0.name == "authorization" }
    return values.count == 1 ? read(values[0].value) : nil
  }

  /// The token in the header's value. The scheme is case-insensitive, and one or more spaces may follow it (RFC 9110
  /// §11.4). Nil for another scheme, an empty token, or one with blanks.
  static func read(_ value: String) -> String? {
    let scheme = "bearer "
    guard value.utf8.count > scheme.utf8.count, value.prefix(scheme.count).lowercased() == scheme else { return nil }
    let token = value.dropFirst(scheme.count).drop { $0 == " " }
    guard !token.isEmpty, !token.utf8.contains(where: { $0 == 0x20 || $0 == 0x09 }) else { return nil }
    return String(token)
  }
}

extension Request {
  /// The token of `Authorization: Bearer …`; see `BearerToken.find`.
  package var bearerToken: String? {
    // Most requests have none: avoid copying their headers.
    withHeader("authorization") { _ in true } == nil ? nil : BearerToken.find(in: headers)
  }
}

extension OwnedRequest {
  /// See `Request.bearerToken`.
  package var bearerToken: String? { BearerToken.find(in: headers) }
}
