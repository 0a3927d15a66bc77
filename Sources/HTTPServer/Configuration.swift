package import Reactor

/// The settings with which a server is created.
extension HTTPServer {
  /// Limits, timeouts, trusted proxies and the spool directory of a server. The defaults suit a server on the open
  /// internet. Timeouts are checked once a second.
  package struct Configuration: Sendable {
    /// Maximum open connections. Each further one gets 503, unless an idle connection can be closed for it. While
    /// `HTTPLimits.refusals` such surplus connections are open, more clients wait in the kernel's queue.
    package var connections = 10_000
    /// Maximum open connections per client address; nil for no limit. Further ones get 429. All addresses of an IPv6
    /// /64 count as one address.
    package var connectionsPerAddress: Int?
    /// Maximum requests per second and client address, on average; nil for no limit. Further ones get 429. As many
    /// requests as the limit permits in `HTTPLimits.requestCredit` may come at once. All addresses of an IPv6 /64 count
    /// as one address.
    package var requestsPerAddress: Int?
    /// True to exempt loopback addresses from the limits per address.
    package var exemptsLoopback = true
    /// Proxies that are trusted to report client addresses. Their own addresses are exempt from the limits; the clients
    /// that they report are not.
    package var trustedProxies: [IPBlock] = []
    /// The header in which trusted proxies report client addresses. It is ignored in requests from other peers.
    package var forwardedHeader = Forwarding.Header.xForwardedFor
    /// True if trusted proxies start each connection with a PROXY protocol v2 header; a trusted proxy's connection
    /// without it is closed. From other peers the header is refused as a malformed request.
    package var expectsProxyHeader = false
    /// Size limit of a body in bytes, unless the handler sets another one. Larger bodies get 413.
    package var bodyBytes = HTTPLimits.bodyBytes
    /// Maximum memory in bytes for all requests above `HTTPLimits.freeBodyBytes` together. Each is counted as its bytes
    /// arrive, until it is answered and no handler keeps a copy. A request that would exceed the total gets 503.
    package var bodyMemoryBytes = HTTPLimits.bodyMemoryBytes
    /// Unsent response bytes of all connections together at which each connection stops handling further requests until
    /// it has sent all its responses.
    package var outputMemoryBytes = HTTPLimits.allOutputBytes
    /// Existing directory for long bodies that the handler wants in a file; nil to keep them in memory. A body for
    /// which no file can be created stays in memory, too.
    package var spoolDirectory: String?
    /// Maximum bytes of all spooled bodies together. A body that would exceed it gets 503.
    package var spoolBytes = HTTPLimits.spoolBytes
    package var head = HeadLimits()
    /// Time from the first byte of a request to the end of its head; for the first request of a connection, from the
    /// opening of the connection. Afterwards the client gets 408, or is disconnected if no byte of a request has
    /// arrived.
    package var headTimeout = Duration.seconds(20)
    /// Time from the end of the head, or from the handler's admission of a body that it has held, to the end of the
    /// body. Afterwards the client gets 408.
    package var bodyTimeout = Duration.seconds(60)
    /// Maximum idle time of a connection between two requests; then it is closed.
    package var idleTimeout = Duration.seconds(75)
    /// Maximum time for which a client may read nothing of a response that is being sent; then its connection is reset.
    package var writeTimeout = Duration.seconds(30)
    /// Time that the server waits after its last response for the client to close the connection, before it closes the
    /// connection itself.
    package var lingerTimeout = Duration.seconds(2)

    package init() {}
  }
}
