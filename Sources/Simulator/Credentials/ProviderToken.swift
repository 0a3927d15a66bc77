internal import JSON

/// A provider's JSON Web Token, parsed but not verified (RFC 7519; "Establishing a token-based connection").
struct ProviderToken {
  let keyID: String
  let teamID: String
  /// Time of issue (`iat`), in seconds since 1970.
  let issuedAt: Int64
  /// The signed bytes: header and claims as sent.
  let signedBytes: [UInt8]
  let signature: [UInt8]

  /// Parses a token. Returns nil unless the text has three parts, with `alg` ES256, `kid`, `iss` and an integer `iat`.
  init?(_ text: Span<UInt8>) {
    guard text.count <= Limits.providerTokenBytes else { return nil }
    var dots: [Int] = []
    for index in text.indices where text[index] == 0x2E { dots.append(index) }
    guard dots.count == 2,
      let header = Base64URL.decode(text.extracting(0..<dots[0])),
      let claims = Base64URL.decode(text.extracting(dots[0] + 1..<dots[1])),
      let signature = Base64URL.decode(text.extracting(dots[1] + 1..<text.count)),
      let named = Self.read(header), named["alg"] == "ES256", let keyID = named["kid"],
      let claimed = Self.read(claims, number: "iat"), let teamID = claimed["iss"],
      let issuedAt = claimed["iat"].flatMap({ Int64($0) })
    else { return nil }
    self.keyID = keyID
    self.teamID = teamID
    self.issuedAt = issuedAt
    self.signature = signature
    signedBytes = ASCII.array(text.extracting(0..<dots[1]))
  }

  /// Returns the string members of a JSON object, and the member `number`, which must be an integer, not a string.
  private static func read(_ json: [UInt8], number: String? = nil) -> [String: String]? {
    var members: [String: String] = [:]
    var reader = JSONReader(json)
    do {
      try reader.readObject { (reader, name) throws(JSONError) in
        if name == number {
          members[name] = String(try reader.readInteger())
        } else if try reader.peek() == .string {
          members[name] = try reader.readString()
        } else {
          try reader.skip()
        }
      }
      try reader.finish()
    } catch {
      return nil
    }
    return members
  }
}
