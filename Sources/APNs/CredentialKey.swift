internal import TLS

/// Identifies a credential: credentials with equal keys may share connections, as do all apps that use the same signing
/// key. Names alone do not suffice: a key uploaded under another key's names gets connections of its own.
enum CredentialKey: Hashable {
  case token(KeyName)
  /// A certificate, identified by its PEM text.
  case certificate(String)

  init(_ credential: APNsCredential) {
    switch credential {
    case .token(let key): self = .token(key)
    case .certificate(let identity): self = .certificate(identity.certificateChainPEM)
    }
  }

  /// A text that is unique for the credential.
  var identity: String {
    switch self {
    case .token(let key): "\(key.teamID).\(key.keyID).\(key.fingerprint)"
    case .certificate(let text): text
    }
  }

  /// The name of the credential in log entries.
  var name: String {
    switch self {
    case .token(let key): "key \(key.keyID) of team \(key.teamID)"
    case .certificate: "certificate"
    }
  }
}
