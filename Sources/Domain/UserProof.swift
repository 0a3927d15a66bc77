package import Crypto
internal import JSON
package import Time

/// Verifies that an app's own backend confirms a user. The client key is not sufficient: every copy of the app contains
/// it, so with it anyone could register as any user.
///
/// A proof is created with the app's secret, which only its backend has, in one of two forms: 64 hexadecimal digits,
/// the HMAC-SHA-256 of the CUID (valid as long as the secret), or a JSON Web Token signed with HS256 whose `sub` is the
/// CUID and whose `exp` is in the future (RFC 7519). Decision 029.
package struct UserProofKeyring: Sendable {
  private let keys: LiveKeys<HMAC>

  package init(key: SymmetricKey, others: [SymmetricKey] = []) {
    keys = LiveKeys(HMAC(key: key), others: others.map { HMAC(key: $0) })
  }

  /// Replaces the keys in every copy of this keyring: secrets are derived from `present`, and proofs made with a secret
  /// derived from any of the keys are valid.
  package func replace(with present: SymmetricKey, others: [SymmetricKey]) {
    keys.replace(with: HMAC(key: present), others: others.map { HMAC(key: $0) })
  }

  /// Returns the secret for an app's backend: 64 hexadecimal digits, whose ASCII bytes are the HMAC key. It is derived,
  /// not stored, and differs for each generation.
  package func secret(appID: String, generation: Int16) -> String {
    Self.secret(appID, generation, keys.present)
  }

  private static func secret(_ appID: String, _ generation: Int16, _ hmac: HMAC) -> String {
    let message = Array("userProof \(generation) \(appID)".utf8)
    return Hex.encode(hmac.authenticationCode(for: message))
  }

  /// Returns whether a proof, in either form, is valid for the user and was made with the app's secret of this
  /// generation. False for malformed proofs and expired tokens.
  package func verify(_ proof: String, clientUID: String, appID: String, generation: Int16, now: Timestamp) -> Bool {
    keys.all.contains { key in
      let secret = HMAC(key: SymmetricKey(Array(Self.secret(appID, generation, key).utf8)))
      return Self.verify(proof, clientUID: clientUID, secret, now: now)
    }
  }

  private static func verify(_ proof: String, clientUID: String, _ secret: HMAC, now: Timestamp) -> Bool {
    let parts = proof.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      return ConstantTime.isEqual(
        Array(proof.lowercased().utf8), Array(Hex.encode(secret.authenticationCode(for: Array(clientUID.utf8))).utf8))
    }
    guard let signature = Base64URL.decode(parts[2]), let header = Base64URL.decode(parts[0]),
      let claims = Base64URL.decode(parts[1]),
      ConstantTime.isEqual(signature, secret.authenticationCode(for: Array("\(parts[0]).\(parts[1])".utf8)))
    else { return false }
    // The token's own `alg` must be the algorithm that was verified.
    guard let alg = try? Self.texts(header)["alg"], alg == "HS256", let texts = try? Self.texts(claims) else {
      return false
    }
    return texts["sub"].map { $0.utf8.elementsEqual(clientUID.utf8) } == true
      && (texts["exp"].flatMap { Int64($0) } ?? 0) > now.seconds
  }

  /// Returns the string and number members of a JSON object as texts, and ignores other members. Throws if this is not
  /// a JSON object.
  private static func texts(_ json: [UInt8]) throws(JSONError) -> [String: String] {
    var reader = JSONReader(json)
    var texts: [String: String] = [:]
    try reader.readObject { (reader, key) throws(JSONError) in
      switch try reader.peek() {
      case .string: texts[key] = try reader.readString()
      case .number: texts[key] = String(decoding: try reader.readRaw(), as: UTF8.self)
      default: try reader.skip()
      }
    }
    try reader.finish()
    return texts
  }
}

extension Domain.Limits {
  /// Maximum length of a proof in bytes; a JSON Web Token with a few claims has several hundred.
  package static let userProofBytes = 2048
}
