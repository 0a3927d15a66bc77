package import HTTPClient
package import Logging
package import Metrics

/// How the connections of a sender are set up; the same for its whole life.
package struct WireConfiguration: Sendable {
  /// Most connections of one credential at one environment. How many there are follows from the work, the round trip and
  /// what the peer allows.
  package var connectionsPerPool = PushTransport.Limits.connectionsPerPool
  /// Most requests in flight on one connection.
  package var streamsPerConnection = PushTransport.Limits.streamsPerConnection
  /// A connection is replaced when its stream ids pass this.
  package var lastStreamID = PushTransport.Limits.lastStreamID
  /// A connection is replaced when it is so old, more or less: services move load by DNS, which only new ones ask.
  package var connectionAge = PushTransport.Limits.connectionAge
  /// Where names are looked up, for each new connection.
  package var lookUp = Resolver.system
  /// Through which all connections go, but for those that it names itself; nil for the straight way.
  package var proxy: OutboundProxy?
  /// Nothing is taken before the sender has been told all credentials once: an app whose credential is not known yet
  /// must not look like one that has none.
  package var awaitsCredentials = false
  package var logger: Logger
  /// The push network's name among the metrics.
  package let network: String
  package var metrics = Metrics()
  /// Told of each push that is taken.
  package var lastAccepted = LastSuccess()
  /// Told what the peer's clock shows, in seconds since 1970, whenever an answer says it. On the sender's thread.
  package var heardTime: (@Sendable (_ peerSeconds: Int64) -> Void)?

  package init(network: String, logger: Logger) {
    self.network = network
    self.logger = logger
  }

  func tunnel(to endpoint: Endpoint) -> ProxyTunnel? {
    proxy?.tunnel(to: endpoint.host, port: endpoint.port)
  }

  /// What is looked up and connected to on the way to an endpoint: the proxy, where the way goes through one. It is the
  /// proxy that looks up the endpoint then.
  package func hop(to endpoint: Endpoint) -> Endpoint {
    tunnel(to: endpoint).map { Endpoint(host: $0.proxy.host, port: $0.proxy.port) } ?? endpoint
  }
}
