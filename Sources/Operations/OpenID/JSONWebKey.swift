internal import Crypto
internal import Domain
internal import JSON

/// A public key of the identity provider (RFC 7517), of one of the two kinds that are accepted for ID tokens: RSA and
/// P-256.
struct JSONWebKey: Sendable {
  let id: String?
  private let key: Key

  private enum Key: Sendable {
    case rsa(RSA.PublicKey)
    case p256(P256.PublicKey)
  }

  /// Creates a key from its JWK members. Returns nil for keys of other kinds, algorithms and purposes, and for
  /// malformed ones.
  init?(_ members: TokenClaims) {
    guard members["use"] == nil || members.text("use") == "sig" else { return nil }
    id = members.text("kid")
    func number(_ name: String) -> [UInt8]? { members.text(name).flatMap { Base64URL.decode($0) } }
    switch members.text("kty") {
    case "RSA":
      guard Self.allows("RS256", members), let n = number("n"), let e = number("e"),
        let key = try? RSA.PublicKey(modulus: n, exponent: e)
      else { return nil }
      self.key = .rsa(key)
    case "EC":
      guard Self.allows("ES256", members), members.text("crv") == "P-256", let x = number("x"), let y = number("y"),
        let key = try? P256.PublicKey(x: x, y: y)
      else { return nil }
      self.key = .p256(key)
    default: return nil
    }
  }

  private static func allows(_ algorithm: String, _ members: TokenClaims) -> Bool {
    members["alg"] == nil || members.text("alg") == algorithm
  }

  /// The only algorithm for which the key is used, as a token's header names it.
  var algorithm: String {
    switch key {
    case .rsa: "RS256"
    case .p256: "ES256"
    }
  }

  func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
    switch key {
    case .rsa(let key): key.isValid(signature, for: message)
    // A JWS contains r and s, never DER (RFC 7518 §3.4).
    case .p256(let key): signature.count == 64 && key.isValid(signature, for: message)
    }
  }

  /// Returns the usable keys of a key set in their order; empty if it has none.
  /// - Throws: if the set is not a JSON object, or its keys are not objects in an array.
  static func set(_ json: [UInt8]) throws(JSONError) -> [JSONWebKey] {
    var keys: [JSONWebKey] = []
    var reader = JSONReader(json)
    try reader.readObject { (reader, name) throws(JSONError) in
      guard name == "keys" else { return try reader.skip() }
      try reader.readArray { (reader, _) throws(JSONError) in
        if let key = JSONWebKey(try TokenClaims(try reader.readRaw())) { keys.append(key) }
      }
    }
    try reader.finish()
    return keys
  }
}
