internal import Crypto
internal import FoundationEssentials
internal import JSON

/// A service account known to the simulated Google: its project, its identity, and the public half of its key.
package struct ServiceAccount: Sendable {
  package let projectID: String
  package let email: String
  package let keyID: String
  /// False if the account may not send, because it lacks the role or the API is disabled.
  package var maySend = true
  private let publicKey: RSA.PublicKey

  /// Creates an account from its public key.
  /// - Parameter publicKeyPEM: an RSA key of at least 2,048 bits.
  package init(projectID: String, email: String, keyID: String, publicKeyPEM: String) throws {
    self.projectID = projectID
    self.email = email
    self.keyID = keyID
    publicKey = try RSA.PublicKey(pem: publicKeyPEM)
  }

  /// Returns whether `signature` is an RS256 signature of `message` (RFC 7518, 3.3: PKCS #1 v1.5 with SHA-256).
  func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    publicKey.isValid(signature, for: message)
  }
}

/// A service account with its private key: the content of the JSON file that a provider uploads.
package struct ServiceAccountFile: Sendable {
  package let projectID: String
  package let email: String
  package let keyID: String
  package let privateKeyPEM: String
  let publicKeyPEM: String

  /// Creates an account with its private key.
  /// - Parameter privateKeyPEM: the private key, to reuse it in several runs; nil to generate one.
  package init(projectID: String, privateKeyPEM: String? = nil) throws {
    self.projectID = projectID
    email = "simulator@\(projectID).iam.gserviceaccount.com"
    let key =
      try privateKeyPEM.map { try RSA.PrivateKey(pem: $0) }
      ?? RSA.PrivateKey()
    self.privateKeyPEM = key.pem
    publicKeyPEM = key.publicKey.pem
    // Google's key ids have 40 hexadecimal digits.
    keyID = SHA256.hash(Array(publicKeyPEM.utf8)).prefix(20).map { byte in
      String(decoding: [ASCII.digit(byte >> 4), ASCII.digit(byte & 15)], as: UTF8.self)
    }.joined()
  }

  /// Returns the file's content in the format of Google's console.
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
