internal import Domain
internal import Logging
package import PushTransport
package import TLS

/// Host and port of a service of Apple's; the simulator replaces it by another host and port.
package struct APNsEndpoint: Hashable, Sendable {
  package let host: String
  package let port: UInt16

  package init(host: String, port: UInt16 = 443) {
    self.host = host
    self.port = port
  }

  var wire: Endpoint { Endpoint(host: host, port: port) }
  var authority: String { wire.authority }
}

/// Configuration of a sender, fixed for its lifetime.
package struct APNsConfiguration: Sendable {
  package var production = APNsEndpoint(host: "api.push.apple.com")
  package var sandbox = APNsEndpoint(host: "api.sandbox.push.apple.com")
  /// Where channels are made and deleted; they are published on at the services above.
  package var channelsProduction = APNsEndpoint(host: "api-manage-broadcast.push.apple.com", port: 2196)
  package var channelsSandbox = APNsEndpoint(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195)
  /// Whose certificates APNs may show.
  package var trust = TLSContext.Trust()
  /// Connection settings.
  package var wire = WireConfiguration(network: "apns", logger: Logger(label: "apns"))

  package init() {}

  func endpoint(_ environment: PushEnvironment) -> APNsEndpoint {
    environment == .production ? production : sandbox
  }

  func channels(_ environment: PushEnvironment) -> APNsEndpoint {
    environment == .production ? channelsProduction : channelsSandbox
  }
}

/// An app's credential for APNs.
package enum APNsCredential: Sendable {
  /// Provider tokens signed with this key of this team.
  case token(KeyName)
  /// A push certificate.
  case certificate(TLSIdentity)
}

/// The sender needs a provider token: it has none, the present one ends soon, or APNs refused it.
package struct ProviderTokenRequest: Sendable, Equatable {
  package let key: KeyName
  /// The token that APNs called expired: another one is needed at once.
  package let refused: ProviderToken?

  package init(_ key: KeyName, refused: ProviderToken?) {
    self.key = key
    self.refused = refused
  }
}
