package import Reactor

/// What an operator may set.
extension HTTPServer {
  /// How long and how much the server lets clients have. The defaults suit the open internet.
  package struct Configuration: Sendable {
    /// Open connections; those beyond it are told 503, unless an idle one can give way.
    package var connections = 10_000
    /// Open connections of one address; nil for no limit. Those beyond it are told 429.
    package var connectionsPerAddress: Int?
    /// Requests a second of one address, on the average; nil for no limit. Those beyond it are told 429.
    package var requestsPerAddress: Int?
    /// Whether the limits of an address do not count for this machine's own.
    package var exemptsLoopback = true
    /// Proxies whose word about their clients is believed, and whom no limit of an address concerns.
    package var trustedProxies: [IPBlock] = []
    /// Where trusted proxies write whom they were called by.
    package var forwardedHeader = Forwarding.Header.xForwardedFor
    /// Whether trusted proxies begin each connection with the PROXY protocol, version 2. Others never may.
    package var expectsProxyHeader = false
    /// Body bytes, unless the handler allows more.
    package var bodyBytes = HTTPLimits.bodyBytes
    /// All large bodies together, from the first byte to the answer; those beyond it are told 503.
    package var bodyMemoryBytes = HTTPLimits.bodyMemoryBytes
    /// Answers that clients have not taken, all together; above it each gets one at a time.
    package var outputMemoryBytes = HTTPLimits.allOutputBytes
    /// Where long bodies are kept until they are answered, when their handler wants that; nil: in memory. Must exist.
    package var spoolDirectory: String?
    /// All bodies there together; those beyond it are told 503.
    package var spoolBytes = HTTPLimits.spoolBytes
    package var head = HeadLimits()
    /// From the first byte of a request (or the opening of a connection) to the end of its head.
    package var headTimeout = Duration.seconds(20)
    /// From the end of the head to the end of the body.
    package var bodyTimeout = Duration.seconds(60)
    /// How long a connection may rest between two requests.
    package var idleTimeout = Duration.seconds(75)
    /// How long the client may take none of the answer that is being sent.
    package var writeTimeout = Duration.seconds(30)
    /// How long the server waits, after an answer that ends the connection, for the client to close it.
    package var lingerTimeout = Duration.seconds(2)

    package init() {}
  }
}
