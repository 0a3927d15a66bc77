internal import Domain
internal import Logging
package import PushTransport
package import TLS

/// The host and port of an APNs service, or of the simulator that replaces it.
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

/// The configuration of a sender, fixed for its lifetime.
package struct APNsConfiguration: Sendable {
  package var production = APNsEndpoint(host: "api.push.apple.com")
  package var sandbox = APNsEndpoint(host: "api.sandbox.push.apple.com")
  /// The service that creates and deletes broadcast channels of the production environment. Messages are published to
  /// channels on `production`.
  package var channelsProduction = APNsEndpoint(host: "api-manage-broadcast.push.apple.com", port: 2196)
  /// The service that creates and deletes broadcast channels of the sandbox environment.
  package var channelsSandbox = APNsEndpoint(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195)
  /// The certificate authorities trusted for connections to APNs.
  package var trust = TLSContext.Trust()
  /// The settings of the connections to APNs.
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
  /// The key that signs the app's provider tokens.
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
