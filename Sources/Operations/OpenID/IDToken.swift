internal import Crypto
internal import Domain
internal import JSON
internal import Time

/// An ID token (OpenID Connect Core §2): parsing and verification, without I/O.
struct IDToken {
  /// ID of the key that signed the token, from the header (`kid`); nil if the header names none.
  let keyID: String?
  /// Algorithm of the signature, from the header (`alg`): RS256 or ES256.
  let algorithm: String
  private let claims: TokenClaims
  private let signed: [UInt8]
  private let signature: [UInt8]

  /// What a token is checked against.
  struct Expectation {
    let issuer: String
    let audience: String
    let nonce: String
    /// Current time, for the times of the token.
    let now: Timestamp
  }

  /// Parses a token without verifying it.
  /// - Throws: unless the token is a JWS of at most `idTokenBytes` with readable claims, without critical headers, and
  ///   with the algorithm RS256 or ES256.
  init(_ text: String) throws(OpenIDFault) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, text.utf8.count <= Operations.Limits.idTokenBytes,
      let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
      let signature = Base64URL.decode(parts[2])
    else { throw OpenIDFault("id-token", "holds no readable ID token") }
    guard let algorithm = header.text("alg"), Self.algorithms.contains(algorithm), header["crit"] == nil else {
      throw OpenIDFault("id-token-algorithm", "holds an ID token that is not signed by RS256 or ES256")
    }
    self.algorithm = algorithm
    self.claims = claims
    self.signature = signature
    keyID = header.text("kid")
    signed = Array("\(parts[0]).\(parts[1])".utf8)
  }

  static let algorithms: Set<String> = ["RS256", "ES256"]

  private static func object(_ part: Substring) -> TokenClaims? {
    Base64URL.decode(part).flatMap { try? TokenClaims($0) }
  }

  /// Returns whether one of the keys signed the token. Tries every key of the token's algorithm that has its key ID,
  /// because some providers reuse an ID for a new key; if the token names no ID, all keys of that algorithm.
  func isSigned(by keys: [JSONWebKey]) -> Bool {
    keys.contains { key in
      key.algorithm == algorithm && (keyID == nil || key.id == keyID) && key.isValid(signature, for: signed)
    }
  }

  /// Returns the token's claims after verifying its signature, issuer, audience, nonce and times.
  /// - Throws: the first check that failed.
  func verified(by keys: [JSONWebKey], _ expected: Expectation) throws(OpenIDFault) -> TokenClaims {
    guard isSigned(by: keys) else {
      throw OpenIDFault("id-token-signature", "holds an ID token that none of the provider's keys signed")
    }
    guard claims.text("iss") == expected.issuer else {
      throw OpenIDFault("id-token-issuer", "holds an ID token of another issuer")
    }
    let audiences = claims.texts("aud")
    guard audiences.contains(expected.audience) else {
      throw OpenIDFault("id-token-audience", "holds an ID token for another client")
    }
    guard claims["azp"] == nil && audiences.count == 1 || claims.text("azp") == expected.audience else {
      throw OpenIDFault("id-token-audience", "holds an ID token that was issued to another client")
    }
    try checkTimes(expected.now)
    guard let nonce = claims.text("nonce"), ConstantTime.isEqual(Array(nonce.utf8), Array(expected.nonce.utf8)) else {
      throw OpenIDFault("id-token-nonce", "holds an ID token of another sign-in (nonce)")
    }
    return claims
  }

  private func checkTimes(_ now: Timestamp) throws(OpenIDFault) {
    let (now, skew) = (now.seconds, Operations.Limits.clockSkewSeconds)
    guard let expires = claims.number("exp"), now < expires.addingSkew(skew) else {
      throw OpenIDFault("id-token-expired", "holds an ID token that has expired: are the clocks right?")
    }
    guard let issued = claims.number("iat"), issued <= now + skew,
      issued >= now - Operations.Limits.openIDSeconds - skew
    else {
      throw OpenIDFault("id-token-time", "holds an ID token that was not issued now: are the clocks right?")
    }
    if claims["nbf"] != nil {
      guard let begins = claims.number("nbf"), begins <= now + skew else {
        throw OpenIDFault("id-token-time", "holds an ID token that is not valid yet: are the clocks right?")
      }
    }
  }
}

extension Int64 {
  /// Returns the sum, or `.max` on overflow, because a token can contain any number.
  fileprivate func addingSkew(_ seconds: Int64) -> Int64 {
    let (sum, isTooLarge) = addingReportingOverflow(seconds)
    return isTooLarge ? .max : sum
  }
}

extension Operations.Limits {
  /// Maximum difference between the provider's clock and ours, in seconds.
  static let clockSkewSeconds: Int64 = 60
  /// Time, in seconds, that a person may spend at the provider: the lifetime of a sign-in's cookie, and, plus the clock
  /// skew, the maximum age of an ID token.
  package static let openIDSeconds: Int64 = 600
  /// Maximum length of an ID token in bytes; enough for a few hundred groups.
  static let idTokenBytes = 65_536
}
