/// The token of `Authorization: Bearer …` (RFC 6750 §2.1): who asks proves it with this.
enum BearerToken {
  /// The token in the value of the header. The scheme is compared without case, and one or more spaces may follow it
  /// (RFC 9110 §11.4). Nil for another scheme, for none, and when blanks stand within the token.
  static func read(_ value: String) -> String? {
    let scheme = "bearer "
    guard value.utf8.count > scheme.utf8.count, value.prefix(scheme.count).lowercased() == scheme else { return nil }
    let token = value.dropFirst(scheme.count).drop { $0 == " " }
    guard !token.isEmpty, !token.utf8.contains(where: { $0 == 0x20 || $0 == 0x09 }) else { return nil }
    return String(token)
  }
}

extension Request {
  /// The token of `Authorization: Bearer …`; nil when there is none, or when there is more than one such header: two
  /// proofs prove nothing.
  package var bearerToken: String? {
    guard let value = header("authorization"), values("authorization").count == 1 else { return nil }
    return BearerToken.read(value)
  }
}

extension OwnedRequest {
  /// As `Request.bearerToken`.
  package var bearerToken: String? {
    let values = headers.filter { $0.name == "authorization" }
    return values.count == 1 ? BearerToken.read(values[0].value) : nil
  }
}
