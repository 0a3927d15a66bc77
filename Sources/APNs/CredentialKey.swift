internal import TLS

/// Identity of a credential, as far as connections may be shared: the same for all apps of a team's key. Names alone do
/// not suffice: a forged key under another's names gets connections of its own.
enum CredentialKey: Hashable {
  case token(KeyName)
  /// Identified by the certificate's text.
  case certificate(String)

  init(_ credential: APNsCredential) {
    switch credential {
    case .token(let key): self = .token(key)
    case .certificate(let identity): self = .certificate(identity.certificateChainPEM)
    }
  }

  /// Unique text of the credential.
  var identity: String {
    switch self {
    case .token(let key): "\(key.teamID).\(key.keyID).\(key.fingerprint)"
    case .certificate(let text): text
    }
  }

  /// For logs.
  var name: String {
    switch self {
    case .token(let key): "key \(key.keyID) of team \(key.teamID)"
    case .certificate: "certificate"
    }
  }
}
