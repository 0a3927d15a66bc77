package import HTTPClient
package import Logging
package import Metrics

/// Connection settings of a sender, fixed for its lifetime.
package struct WireConfiguration: Sendable {
  /// Maximum connections of one credential in one environment. Their actual number follows from the work, the round
  /// trip and what the peer allows.
  package var connectionsPerPool = PushTransport.Limits.connectionsPerPool
  /// Maximum normal and bulk requests in flight on one connection. Urgent requests may exceed it by a sixteenth if
  /// the peer allows.
  package var streamsPerConnection = PushTransport.Limits.streamsPerConnection
  /// A connection is replaced once its stream ids pass this.
  package var lastStreamID = PushTransport.Limits.lastStreamID
  /// Age at which a connection is replaced, roughly: services move load by DNS, which only new connections ask.
  package var connectionAge = PushTransport.Limits.connectionAge
  /// Resolves names, for each new connection.
  package var lookUp = Resolver.system
  /// The proxy for all connections except those that it exempts itself; nil to connect directly.
  package var proxy: OutboundProxy?
  /// If true, nothing is admitted until the sender has received all credentials once: an app whose credential is not known
  /// yet must not look like one that has none.
  package var awaitsCredentials = false
  package var logger: Logger
  /// The push network's name in the metrics.
  package let network: String
  package var metrics = Metrics()
  /// Notes each push that the network accepts.
  package var lastAccepted = LastSuccess()
  /// Receives the peer's clock, in seconds since 1970, whenever an answer carries it. Called on the sender's thread.
  package var heardTime: (@Sendable (_ peerSeconds: Int64) -> Void)?

  package init(network: String, logger: Logger) {
    self.network = network
    self.logger = logger
  }

  func tunnel(to endpoint: Endpoint) -> ProxyTunnel? {
    proxy?.tunnel(to: endpoint.host, port: endpoint.port)
  }

  /// What is resolved and connected to on the way to an endpoint: the proxy, if there is one on the way. The proxy then
  /// resolves the endpoint.
  package func hop(to endpoint: Endpoint) -> Endpoint {
    tunnel(to: endpoint).map { Endpoint(host: $0.proxy.host, port: $0.proxy.port) } ?? endpoint
  }
}
