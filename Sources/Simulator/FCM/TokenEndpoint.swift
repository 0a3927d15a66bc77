internal import JSON

/// Google's OAuth endpoint for service accounts, which exchanges a signed assertion for an access token (RFC 7523;
/// "Using OAuth 2.0 for Server to Server Applications").
package struct TokenEndpoint {
  /// An access token that was issued.
  struct Grant {
    let account: ServiceAccount
    /// Time at which the token expires, in seconds since 1970.
    let endsAt: Int64
  }

  /// An OAuth error (RFC 6749, 5.2).
  struct Refusal: Error, Equatable {
    let error: String
    let description: String

    var body: [UInt8] {
      var writer = JSONWriter()
      writer.object { writer in
        writer.member("error", error)
        writer.member("error_description", description)
      }
      return writer.bytes
    }
  }

  static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
  static let audience = "https://oauth2.googleapis.com/token"
  static let scopes: Set<String> = [
    "https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform",
  ]

  private var accounts: [String: ServiceAccount] = [:]
  private var grants: [String: Grant] = [:]
  /// Lifetime of access tokens issued from now on, in seconds.
  package var lifeSeconds = Limits.accessTokenSeconds
  /// Number of requests answered with a token.
  package private(set) var granted = 0
  package private(set) var refused = 0

  package init() {}

  package mutating func register(_ account: ServiceAccount) {
    accounts[account.email] = account
  }

  func knows(project: String) -> Bool {
    accounts.values.contains { $0.projectID == project }
  }

  func grant(of accessToken: String) -> Grant? { grants[accessToken] }

  /// Invalidates all access tokens, as if they had been revoked.
  package mutating func revokeAll() {
    grants = [:]
  }

  /// Exchanges an assertion for an access token. Returns the JSON of the response.
  /// - Parameters:
  ///   - form: the body, `application/x-www-form-urlencoded`.
  ///   - address: the endpoint's own URL, which an assertion may name as its audience.
  ///   - now: in seconds since 1970.
  mutating func exchange(
    _ form: [UInt8], address: String, now: Int64, dice: inout SplitMix64
  ) -> Result<[UInt8], Refusal> {
    do throws(Refusal) {
      let account = try account(for: form, address: address, now: now)
      let token = "ya29.c.sim-" + Self.random(&dice)
      grants = grants.filter { $0.value.endsAt > now }
      grants[token] = Grant(account: account, endsAt: now + lifeSeconds)
      granted += 1
      var writer = JSONWriter()
      writer.object { writer in
        writer.member("access_token", token)
        // Google subtracts a second for the transmission.
        writer.member("expires_in", max(0, lifeSeconds - 1))
        writer.member("token_type", "Bearer")
      }
      return .success(writer.bytes)
    } catch {
      refused += 1
      return .failure(error)
    }
  }

  private func account(
    for form: [UInt8], address: String, now: Int64
  ) throws(Refusal) -> ServiceAccount {
    let fields = FormFields.read(form)
    guard fields["grant_type"] == Self.grantType else {
      throw Refusal(error: "unsupported_grant_type", description: "Invalid grant_type: \(fields["grant_type"] ?? "")")
    }
    guard let text = fields["assertion"], let assertion = Assertion(Array(text.utf8)) else {
      throw Refusal(error: "invalid_grant", description: "Invalid JWT: Failed to parse the assertion.")
    }
    guard let account = accounts[assertion.issuer] else {
      throw Refusal(error: "invalid_grant", description: "Invalid grant: account not found")
    }
    guard assertion.keyID == nil || assertion.keyID == account.keyID,
      account.verifies(assertion.signature, of: assertion.signedBytes)
    else { throw Refusal(error: "invalid_grant", description: "Invalid JWT Signature.") }
    guard assertion.audience == Self.audience || assertion.audience == address else {
      throw Refusal(error: "invalid_grant", description: "Invalid JWT: \"aud\" must be \(Self.audience)")
    }
    let isTimely =
      assertion.issuedAt <= now + Limits.assertionSkewSeconds && assertion.endsAt > now - Limits.assertionSkewSeconds
      && assertion.endsAt <= assertion.issuedAt + Limits.assertionSeconds && assertion.endsAt > assertion.issuedAt
    guard isTimely else {
      throw Refusal(
        error: "invalid_grant",
        description:
          "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim."
      )
    }
    guard assertion.scope.split(separator: " ").contains(where: { Self.scopes.contains(String($0)) }) else {
      throw Refusal(error: "invalid_scope", description: "Invalid OAuth scope or ID token audience provided.")
    }
    return account
  }

  private static func random(_ dice: inout SplitMix64) -> String {
    (0..<4).map { _ in String(dice.next(), radix: 36) }.joined()
  }
}

/// A service account's JSON Web Token, parsed but not verified.
private struct Assertion {
  let keyID: String?
  let issuer: String
  let audience: String
  let scope: String
  let issuedAt: Int64
  let endsAt: Int64
  let signedBytes: [UInt8]
  let signature: [UInt8]

  init?(_ text: [UInt8]) {
    let parts = text.split(separator: 0x2E, omittingEmptySubsequences: false)
    guard text.count <= Limits.providerTokenBytes, parts.count == 3,
      let header = Self.decode(parts[0]), let claims = Self.decode(parts[1]),
      let signature = Base64URL.decode(Array(parts[2]).span),
      header["alg"]?.string == "RS256", let issuer = claims["iss"]?.string, let audience = claims["aud"]?.string,
      case .number(let issued)? = claims["iat"], let issuedAt = Int64(issued),
      case .number(let ends)? = claims["exp"], let endsAt = Int64(ends)
    else { return nil }
    keyID = header["kid"]?.string
    self.issuer = issuer
    self.audience = audience
    scope = claims["scope"]?.string ?? ""
    self.issuedAt = issuedAt
    self.endsAt = endsAt
    self.signature = signature
    signedBytes = Array(text[..<(parts[2].startIndex - 1)])
  }

  private static func decode(_ part: ArraySlice<UInt8>) -> MessageTree? {
    let bytes = Array(part)
    guard let json = Base64URL.decode(bytes.span) else { return nil }
    return try? MessageTree.parse(json)
  }
}

/// Parses form fields (WHATWG URL, `application/x-www-form-urlencoded`).
enum FormFields {
  static func read(_ form: [UInt8]) -> [String: String] {
    var fields: [String: String] = [:]
    for pair in form.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { continue }
      fields[decode(parts[0])] = decode(parts[1])
    }
    return fields
  }

  private static func decode(_ text: ArraySlice<UInt8>) -> String {
    var bytes: [UInt8] = []
    var index = text.startIndex
    while index < text.endIndex {
      if text[index] == UInt8(ascii: "%"), index + 2 < text.endIndex, let high = ASCII.hexadecimal(text[index + 1]),
        let low = ASCII.hexadecimal(text[index + 2])
      {
        bytes.append(high << 4 | low)
        index += 3
        continue
      }
      bytes.append(text[index] == UInt8(ascii: "+") ? 0x20 : text[index])
      index += 1
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
