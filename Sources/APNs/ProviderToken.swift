internal import Crypto
internal import Domain

/// Identifies a signing key. Team id and key id are claims of the user who uploaded the key; the fingerprint depends on
/// the key itself.
package struct KeyName: Hashable, Sendable {
  package let teamID: String
  package let keyID: String
  /// The hash of the key and both ids, in hexadecimal digits.
  package let fingerprint: String

  package init(teamID: String, keyID: String, fingerprint: String) {
    self.teamID = teamID
    self.keyID = keyID
    self.fingerprint = fingerprint
  }
}

/// A provider authentication token (JWT, RFC 7519) for APNs, sent in the `authorization` header after `bearer `.
///
/// All connections and nodes that use a key share one token, which is also stored across restarts, because Apple
/// refuses new tokens more often than every 20 minutes, and those older than an hour.
package struct ProviderToken: Sendable, Equatable {
  package let key: KeyName
  /// The encoded JWT: three base64url parts separated by full stops. Secret: never log it.
  package let value: String
  /// The time of issue (`iat`), in seconds since 1970.
  package let issuedAt: Int64

  package init(_ key: KeyName, value: String, issuedAt: Int64) {
    self.key = key
    self.value = value
    self.issuedAt = issuedAt
  }

  /// Returns true if the token was issued by a clock that is ahead: APNs refuses tokens from the future.
  package func isAhead(atSeconds now: Int64) -> Bool { issuedAt > now + APNs.Limits.tokenAheadSeconds }

  /// Returns true if APNs accepts the token at this time, in seconds since 1970, and for another minute.
  package func isGood(atSeconds now: Int64) -> Bool {
    now < issuedAt + APNs.Limits.tokenLifeSeconds - 60 && !isAhead(atSeconds: now)
  }

  /// Returns true if the token should be replaced now.
  package func isDue(atSeconds now: Int64) -> Bool {
    now >= issuedAt + APNs.Limits.tokenLifeSeconds - APNs.Limits.tokenRenewalSeconds || isAhead(atSeconds: now)
  }
}

/// The reason why a signing key was rejected.
package enum SigningKeyError: Error, Equatable, CustomStringConvertible, Sendable {
  case notPEM
  case encrypted
  case certificate
  case notP256
  case badKeyID(String)
  case badTeamID(String)

  package var description: String {
    switch self {
    case .notPEM: "the file is no APNs key: it must hold a line -----BEGIN PRIVATE KEY-----"
    case .encrypted: "the key is protected by a passphrase; Apple's .p8 files are not"
    case .certificate: "this is a certificate; use the .p8 key file, or the certificate option with a .p12"
    case .notP256: "the key is no P-256 key; Apple's .p8 files are"
    case .badKeyID(let id): "the key id must be 10 letters or digits, not \"\(id)\""
    case .badTeamID(let id): "the team id must be 10 letters or digits, not \"\(id)\""
    }
  }
}

/// An APNs signing key (`.p8`) with its key id, team id and fingerprint.
package struct SigningKey: Sendable {
  package let name: KeyName
  private let key: P256.PrivateKey

  /// Parses a signing key.
  /// - Parameter p8: contents of the file that Apple issues (PEM, PKCS#8, unencrypted).
  /// - Throws: `SigningKeyError`, also for a malformed key id or team id.
  package init(p8: String, keyID: String, teamID: String) throws(SigningKeyError) {
    guard Self.isIdentifier(keyID) else { throw .badKeyID(keyID) }
    guard Self.isIdentifier(teamID) else { throw .badTeamID(teamID) }
    if p8.contains("ENCRYPTED") { throw .encrypted }
    if p8.contains("BEGIN CERTIFICATE") { throw .certificate }
    guard p8.contains("-----BEGIN"), p8.contains("PRIVATE KEY-----") else { throw .notPEM }
    do {
      key = try P256.PrivateKey(pem: p8)
    } catch {
      // The library does not distinguish a damaged file from another kind of key; either way the user must upload
      // another file.
      throw .notP256
    }
    let names = Array("\(teamID) \(keyID) ".utf8)
    let fingerprint = SHA256.hash(names + key.publicKey.der)
    name = KeyName(teamID: teamID, keyID: keyID, fingerprint: Hex.encode(fingerprint))
  }

  /// Creates a signed token (ES256, RFC 7518 §3.4: r and s with 32 bytes each). Takes about 30 µs.
  /// - Parameter seconds: the token's `iat`, in seconds since 1970.
  package func mint(issuedAt seconds: Int64) throws -> ProviderToken {
    let header = #"{"alg":"ES256","kid":"\#(name.keyID)"}"#
    let claims = #"{"iss":"\#(name.teamID)","iat":\#(seconds)}"#
    let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.utf8)
    return ProviderToken(
      name, value: signed + "." + Base64URL.encode(key.signature(for: Array(signed.utf8))), issuedAt: seconds)
  }

  private static func isIdentifier(_ text: String) -> Bool {
    text.utf8.count == 10
      && text.utf8.allSatisfy { byte in
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
      }
  }
}

/// The provider token that a pool's requests carry, and the previous one.
struct TokenInUse {
  private(set) var present: ProviderToken?
  /// The previous token, to return to if APNs answers that tokens change too often.
  private var former: ProviderToken?
  /// The token that APNs has called expired, so that further requests need another one; nil if it has called none so.
  var refused: ProviderToken?

  init(_ token: ProviderToken?) {
    present = token
  }

  func isGood(atSeconds now: Int64) -> Bool {
    guard let present else { return false }
    return present.isGood(atSeconds: now) && present != refused
  }

  /// Replaces the token. Returns false if `next` is the present token already.
  mutating func replace(with next: ProviderToken) -> Bool {
    guard next != present else { return false }
    former = present
    present = next
    if next != refused { refused = nil }
    return true
  }

  /// Returns to the previous token if APNs still accepts it; returns false if not.
  mutating func fallBack(atSeconds now: Int64) -> Bool {
    guard let former, former.isGood(atSeconds: now), former != present else { return false }
    present = former
    return true
  }
}
