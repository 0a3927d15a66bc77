internal import TLS

/// What opens APNs, as far as connections may be shared: one and the same for all apps of a team's key. Never by names
/// alone: a made-up key under the names of another one has connections of its own.
enum CredentialKey: Hashable {
  case token(KeyName)
  /// The certificate's own text stands for it.
  case certificate(String)

  init(_ credential: APNsCredential) {
    switch credential {
    case .token(let key): self = .token(key)
    case .certificate(let identity): self = .certificate(identity.certificateChainPEM)
    }
  }

  /// What tells it from all others.
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
