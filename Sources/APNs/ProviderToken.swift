internal import Crypto
internal import Domain

/// Identifies a signing key. Team and key id are claims of the user who stored it; the fingerprint is the key's own.
package struct KeyName: Hashable, Sendable {
  package let teamID: String
  package let keyID: String
  /// Hash of the key and these names, in hexadecimal digits.
  package let fingerprint: String

  package init(teamID: String, keyID: String, fingerprint: String) {
    self.teamID = teamID
    self.keyID = keyID
    self.fingerprint = fingerprint
  }
}

/// A provider authentication token (JWT, RFC 7519) for APNs; the value of `authorization` after `bearer `.
///
/// One for all connections, nodes and restarts of a key: the minter also stores it (Apple refuses new ones more often
/// than every 20 minutes, and those older than an hour).
package struct ProviderToken: Sendable, Equatable {
  package let key: KeyName
  /// Three parts in base64url, separated by full stops. Never log it.
  package let value: String
  /// Seconds since 1970 (`iat`).
  package let issuedAt: Int64

  package init(_ key: KeyName, value: String, issuedAt: Int64) {
    self.key = key
    self.value = value
    self.issuedAt = issuedAt
  }

  /// Minted by a clock that was ahead: APNs refuses tokens from the future.
  package func isAhead(atSeconds now: Int64) -> Bool { issuedAt > now + APNs.Limits.tokenAheadSeconds }

  /// True if APNs accepts it at this time.
  package func isGood(atSeconds now: Int64) -> Bool {
    now < issuedAt + APNs.Limits.tokenLifeSeconds - 60 && !isAhead(atSeconds: now)
  }

  /// True if it is time to mint the next one.
  package func isDue(atSeconds now: Int64) -> Bool {
    now >= issuedAt + APNs.Limits.tokenLifeSeconds - APNs.Limits.tokenRenewalSeconds || isAhead(atSeconds: now)
  }
}

/// What is wrong with a signing key.
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

  /// - Parameter p8: the file's text as Apple issues it (PEM, PKCS#8, not encrypted).
  package init(p8: String, keyID: String, teamID: String) throws(SigningKeyError) {
    guard Self.isIdentifier(keyID) else { throw .badKeyID(keyID) }
    guard Self.isIdentifier(teamID) else { throw .badTeamID(teamID) }
    if p8.contains("ENCRYPTED") { throw .encrypted }
    if p8.contains("BEGIN CERTIFICATE") { throw .certificate }
    guard p8.contains("-----BEGIN"), p8.contains("PRIVATE KEY-----") else { throw .notPEM }
    do {
      key = try P256.PrivateKey(pem: p8)
    } catch {
      // The library cannot tell a broken file from another kind of key; for the user who uploads it both mean the same.
      throw .notP256
    }
    let names = Array("\(teamID) \(keyID) ".utf8)
    let fingerprint = SHA256.hash(names + key.publicKey.der)
    name = KeyName(teamID: teamID, keyID: keyID, fingerprint: Hex.encode(fingerprint))
  }

  /// Signs a token (ES256, RFC 7518 §3.4: r and s, 32 bytes each). Costs about 30 µs.
  /// - Parameter seconds: since 1970; becomes `iat`, an integer.
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
