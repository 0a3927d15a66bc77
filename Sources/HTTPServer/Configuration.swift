package import Reactor

/// Operator settings.
extension HTTPServer {
  /// Limits and timeouts of clients. The defaults suit the open internet.
  package struct Configuration: Sendable {
    /// Open connections; further ones get 503, unless an idle one can give way.
    package var connections = 10_000
    /// Open connections per address; nil for no limit. Further ones get 429.
    package var connectionsPerAddress: Int?
    /// Requests a second per address, on average; nil for no limit. Further ones get 429.
    package var requestsPerAddress: Int?
    /// Whether loopback addresses are exempt from the limits per address.
    package var exemptsLoopback = true
    /// Proxies that are trusted to name their clients, and are exempt from the limits per address.
    package var trustedProxies: [IPBlock] = []
    /// The header in which trusted proxies name their clients.
    package var forwardedHeader = Forwarding.Header.xForwardedFor
    /// Whether trusted proxies start each connection with a PROXY protocol v2 header; others may not.
    package var expectsProxyHeader = false
    /// Body limit in bytes, unless the handler sets another one.
    package var bodyBytes = HTTPLimits.bodyBytes
    /// Bytes of all large bodies together, from the first byte to the answer; further ones get 503.
    package var bodyMemoryBytes = HTTPLimits.bodyMemoryBytes
    /// Bytes of all unsent answers together; above it each client gets one answer at a time.
    package var outputMemoryBytes = HTTPLimits.allOutputBytes
    /// Directory for long bodies, when their handler wants that; nil: they stay in memory. Must exist.
    package var spoolDirectory: String?
    /// Bytes of all bodies there together; further ones get 503.
    package var spoolBytes = HTTPLimits.spoolBytes
    package var head = HeadLimits()
    /// From a request's first byte (or the connection's opening) to the end of its head.
    package var headTimeout = Duration.seconds(20)
    /// From the end of the head to the end of the body.
    package var bodyTimeout = Duration.seconds(60)
    /// How long a connection may be idle between two requests.
    package var idleTimeout = Duration.seconds(75)
    /// How long the client may read nothing of an answer that is being sent.
    package var writeTimeout = Duration.seconds(30)
    /// After the last answer, how long the server waits for the client to close the connection.
    package var lingerTimeout = Duration.seconds(2)

    package init() {}
  }
}
