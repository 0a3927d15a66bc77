internal import Domain
internal import Logging
package import PushTransport
package import TLS

/// Host and port of an APNs service, or of the simulator that replaces it.
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
  /// Services that create and delete broadcast channels. Messages are published to channels on the services above.
  package var channelsProduction = APNsEndpoint(host: "api-manage-broadcast.push.apple.com", port: 2196)
  package var channelsSandbox = APNsEndpoint(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195)
  /// Certificate authorities trusted for connections to APNs.
  package var trust = TLSContext.Trust()
  /// Settings of the connections to APNs.
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
  /// Provider tokens signed with this key.
  case token(KeyName)
  /// A push certificate with its private key.
  case certificate(TLSIdentity)
}

/// A request for a new provider token, because there is none, the present one expires soon, or APNs has refused it.
package struct ProviderTokenRequest: Sendable, Equatable {
  package let key: KeyName
  /// The token that APNs has called expired, so that a new one is needed at once; nil otherwise.
  package let refused: ProviderToken?

  package init(_ key: KeyName, refused: ProviderToken?) {
    self.key = key
    self.refused = refused
  }
}
