package import Reactor

/// The settings that an operator can change.
extension HTTPServer {
  /// Limits and timeouts for clients. The defaults suit a server on the open internet.
  package struct Configuration: Sendable {
    /// Maximum open connections. Further ones get 503, unless an idle connection can be closed for them.
    package var connections = 10_000
    /// Maximum open connections per client address; nil for no limit. Further ones get 429.
    package var connectionsPerAddress: Int?
    /// Maximum requests per second and client address, on average; nil for no limit. Further ones get 429.
    package var requestsPerAddress: Int?
    /// True to exempt loopback addresses from the limits per address.
    package var exemptsLoopback = true
    /// Proxies that are trusted to report client addresses. Their own addresses are exempt from the limits.
    package var trustedProxies: [IPBlock] = []
    /// The header in which trusted proxies pass on client addresses.
    package var forwardedHeader = Forwarding.Header.xForwardedFor
    /// True if trusted proxies start each connection with a PROXY protocol v2 header. Other clients must not send one.
    package var expectsProxyHeader = false
    /// Size limit of a body in bytes, unless the handler sets another one.
    package var bodyBytes = HTTPLimits.bodyBytes
    /// Maximum memory in bytes for all large bodies together, from their first byte until the response. Further bodies
    /// get 503.
    package var bodyMemoryBytes = HTTPLimits.bodyMemoryBytes
    /// Total of all unsent response bytes above which each client must read a response before it gets the next.
    package var outputMemoryBytes = HTTPLimits.allOutputBytes
    /// Existing directory for long bodies that the handler wants in a file; nil to keep them in memory.
    package var spoolDirectory: String?
    /// Maximum bytes of all spooled bodies together; further bodies get 503.
    package var spoolBytes = HTTPLimits.spoolBytes
    package var head = HeadLimits()
    /// Time from the first byte of a request (or the opening of the connection) to the end of its head.
    package var headTimeout = Duration.seconds(20)
    /// Time from the end of the head to the end of the body.
    package var bodyTimeout = Duration.seconds(60)
    /// Maximum idle time of a connection between two requests.
    package var idleTimeout = Duration.seconds(75)
    /// Maximum time for which a client may read nothing of a response that is being sent.
    package var writeTimeout = Duration.seconds(30)
    /// Time that the server waits after its last response for the client to close the connection.
    package var lingerTimeout = Duration.seconds(2)

    package init() {}
  }
}
