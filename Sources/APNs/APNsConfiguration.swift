internal import Domain
package import Logging
package import Metrics
package import TLS

/// Where a service of Apple's is. The simulator stands in for it by another host and port.
package struct APNsEndpoint: Hashable, Sendable {
  package let host: String
  package let port: UInt16

  package init(host: String, port: UInt16 = 443) {
    self.host = host
    self.port = port
  }

  /// For the `:authority` field.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == 443 ? name : "\(name):\(port)"
  }
}

/// How a sender is set up; the same for its whole life.
package struct APNsConfiguration: Sendable {
  package var production = APNsEndpoint(host: "api.push.apple.com")
  package var sandbox = APNsEndpoint(host: "api.sandbox.push.apple.com")
  /// Whose certificates APNs may show.
  package var trust = TLSContext.Trust()
  /// Most connections of one credential at one environment. How many there are follows from the work, the round trip and
  /// what the peer allows.
  package var connectionsPerPool = APNs.Limits.connectionsPerPool
  /// Most requests in flight on one connection.
  package var streamsPerConnection = APNs.Limits.streamsPerConnection
  /// A connection is replaced when its stream ids pass this.
  package var lastStreamID = APNs.Limits.lastStreamID
  /// A connection is replaced when it is so old, more or less: Apple moves load by DNS, which only new ones ask.
  package var connectionAge = APNs.Limits.connectionAge
  package var logger = Logger(label: "apns")
  package var metrics = Metrics()
  /// Told of each push that is taken.
  package var lastAccepted = LastSuccess()

  package init() {}

  func endpoint(_ environment: PushEnvironment) -> APNsEndpoint {
    environment == .production ? production : sandbox
  }
}

/// What opens APNs for an app.
package enum APNsCredential: Sendable {
  /// Provider tokens signed with this key of this team.
  case token(teamID: String, keyID: String)
  /// A push certificate.
  case certificate(TLSIdentity)
}

/// The sender wants a provider token: none is known, it ends soon, or APNs refused the present one.
package struct ProviderTokenRequest: Sendable, Equatable {
  package let teamID: String
  package let keyID: String
  /// The token that APNs called expired: another one is needed at once.
  package let refused: ProviderToken?

  package init(teamID: String, keyID: String, refused: ProviderToken?) {
    self.teamID = teamID
    self.keyID = keyID
    self.refused = refused
  }
}
