internal import TLS

/// What opens APNs, as far as connections may be shared: one and the same for all apps of a team's key.
enum CredentialKey: Hashable {
  case token(teamID: String, keyID: String)
  /// The certificate's own text stands for it.
  case certificate(String)

  init(_ credential: APNsCredential) {
    switch credential {
    case .token(let teamID, let keyID): self = .token(teamID: teamID, keyID: keyID)
    case .certificate(let identity): self = .certificate(identity.certificateChainPEM)
    }
  }

  /// What tells it from all others.
  var identity: String {
    switch self {
    case .token(let teamID, let keyID): "\(teamID).\(keyID)"
    case .certificate(let text): text
    }
  }

  /// For logs.
  var name: String {
    switch self {
    case .token(let teamID, let keyID): "key \(keyID) of team \(teamID)"
    case .certificate: "certificate"
    }
  }
}
