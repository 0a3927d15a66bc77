/// A provider's JSON Web Token, taken apart but not yet believed (RFC 7519; "Establishing a token-based connection").
struct ProviderToken {
  let keyID: String
  let teamID: String
  /// `iat`, seconds since 1970.
  let issuedAt: Int64
  /// What was signed: header and claims as sent.
  let signedBytes: [UInt8]
  let signature: [UInt8]

  /// Nil for anything that is not three parts with `alg` ES256, `kid`, `iss` and a whole number `iat`.
  init?(_ text: Span<UInt8>) {
    guard text.count <= Simulator.Limits.providerTokenBytes else { return nil }
    var dots: [Int] = []
    for index in text.indices where text[index] == 0x2E { dots.append(index) }
    guard dots.count == 2,
      let header = Base64URL.decode(text.extracting(0..<dots[0])),
      let claims = Base64URL.decode(text.extracting(dots[0] + 1..<dots[1])),
      let signature = Base64URL.decode(text.extracting(dots[1] + 1..<text.count)),
      Self.string("alg", in: header) == "ES256",
      let keyID = Self.string("kid", in: header), let teamID = Self.string("iss", in: claims),
      let issuedAt = Self.wholeNumber("iat", in: claims)
    else { return nil }
    self.keyID = keyID
    self.teamID = teamID
    self.issuedAt = issuedAt
    self.signature = signature
    signedBytes = ASCII.array(text.extracting(0..<dots[1]))
  }

  private static func string(_ name: String, in json: [UInt8]) -> String? {
    guard let value = value(name, in: json), let inner = JSONText.plainString(json.span, value) else { return nil }
    return ASCII.string(json.span.extracting(inner))
  }

  /// A number without fraction or exponent; a string of digits does not do.
  private static func wholeNumber(_ name: String, in json: [UInt8]) -> Int64? {
    guard let value = value(name, in: json), value.kind == .number else { return nil }
    return ASCII.decimal(json.span.extracting(value.range))
  }

  private static func value(_ name: String, in json: [UInt8]) -> JSONText.Value? {
    var found: JSONText.Value?
    let isWhole = JSONText.members(of: json.span) { key, value in
      if ASCII.equal(json.span.extracting(key), name) { found = value }
    }
    return isWhole ? found : nil
  }
}
