internal import Crypto
internal import FoundationEssentials
internal import JSON

/// A service account that the simulated Google knows: who it is, its project, and the public half of its key.
package struct ServiceAccount: Sendable {
  package let projectID: String
  package let email: String
  package let keyID: String
  /// False: it may not send (no role, or the API is switched off).
  package var maySend = true
  private let publicKey: RSA.PublicKey

  /// - Parameter publicKeyPEM: RSA, 2048 bits or more.
  package init(projectID: String, email: String, keyID: String, publicKeyPEM: String) throws {
    self.projectID = projectID
    self.email = email
    self.keyID = keyID
    publicKey = try RSA.PublicKey(pem: publicKeyPEM)
  }

  /// Checks an RS256 signature (RFC 7518, 3.3: PKCS #1 v1.5 with SHA-256).
  func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    publicKey.isValid(signature, for: message)
  }
}

/// A ready-made service account with its private half: the JSON file that a provider is given.
package struct ServiceAccountFile: Sendable {
  package let projectID: String
  package let email: String
  package let keyID: String
  package let privateKeyPEM: String
  let publicKeyPEM: String

  /// - Parameter privateKeyPEM: to have the same one again; nil makes a new one.
  package init(projectID: String, privateKeyPEM: String? = nil) throws {
    self.projectID = projectID
    email = "simulator@\(projectID).iam.gserviceaccount.com"
    let key =
      try privateKeyPEM.map { try RSA.PrivateKey(pem: $0) }
      ?? RSA.PrivateKey()
    self.privateKeyPEM = key.pem
    publicKeyPEM = key.publicKey.pem
    // Google names a key by 40 hexadecimal digits.
    keyID = SHA256.hash(Array(publicKeyPEM.utf8)).prefix(20).map { byte in
      String(decoding: [ASCII.digit(byte >> 4), ASCII.digit(byte & 15)], as: UTF8.self)
    }.joined()
  }

  /// The file as Google's console gives it out.
  package func json(tokenURI: String) -> String {
    var writer = JSONWriter(capacity: 3000)
    writer.object { writer in
      for (name, value) in [
        ("type", "service_account"), ("project_id", projectID), ("private_key_id", keyID),
        ("private_key", privateKeyPEM), ("client_email", email), ("client_id", "100000000000000000001"),
        ("auth_uri", "https://accounts.google.com/o/oauth2/auth"), ("token_uri", tokenURI),
        ("universe_domain", "googleapis.com"),
      ] {
        writer.member(name, value)
      }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  func account() throws -> ServiceAccount {
    try ServiceAccount(projectID: projectID, email: email, keyID: keyID, publicKeyPEM: publicKeyPEM)
  }
}
