package import HTTPClient
package import Logging
package import Metrics

/// The connection settings of a sender, fixed for its lifetime once the sender is created.
package struct WireConfiguration: Sendable {
  /// Maximum connections of one credential in one environment. The actual number follows from load, round trip and the
  /// peer's stream limit.
  package var connectionsPerPool = PushTransport.Limits.connectionsPerPool
  /// Maximum normal and bulk requests in flight on one connection. Urgent requests may exceed it by a sixteenth if
  /// the peer allows.
  package var streamsPerConnection = PushTransport.Limits.streamsPerConnection
  /// The highest stream id that a connection uses before it is replaced.
  package var lastStreamID = PushTransport.Limits.lastStreamID
  /// The approximate age at which a connection is replaced: services move load by DNS, which is consulted only for new
  /// connections.
  package var connectionAge = PushTransport.Limits.connectionAge
  /// The blocking name look-up used for each new connection.
  package var lookUp = Resolver.system
  /// The HTTP proxy for all connections except those to hosts on its exemption list; nil to connect directly.
  package var proxy: OutboundProxy?
  /// If true, all batches are refused until the sender has received the credentials of all apps, so that an app whose
  /// credential is not loaded yet is not mistaken for one that has none.
  package var awaitsCredentials = false
  package var logger: Logger
  /// The push network's name in the metrics.
  package let network: String
  package var metrics = Metrics()
  /// Receives the time of the last push that the network accepted.
  package var lastAccepted = LastSuccess()
  /// Called on the sender's thread with the peer's clock, in seconds since 1970, when the first answers on a connection
  /// or later refusals carry it; nil to ignore it.
  package var heardTime: (@Sendable (_ peerSeconds: Int64) -> Void)?

  package init(network: String, logger: Logger) {
    self.network = network
    self.logger = logger
  }

  func tunnel(to endpoint: Endpoint) -> ProxyTunnel? {
    proxy?.tunnel(to: endpoint.host, port: endpoint.port)
  }

  /// Returns the host to resolve and connect to in order to reach `endpoint`: the proxy if one applies (it resolves the
  /// endpoint itself), otherwise the endpoint.
  package func hop(to endpoint: Endpoint) -> Endpoint {
    tunnel(to: endpoint).map { Endpoint(host: $0.proxy.host, port: $0.proxy.port) } ?? endpoint
  }
}
