internal import HTTPClient
internal import TLS

/// The settings that all connections of a pool have in common.
struct ConnectionSettings {
  let endpoint: Endpoint
  /// The HTTP proxy tunnel to use, or nil for a direct connection. With a tunnel, the connection's addresses are the
  /// proxy's.
  let tunnel: ProxyTunnel?
  let context: TLSContext
  /// True if the peer accepts only one request at a time until it has seen a valid credential.
  let needsProof: Bool
  let streamCap: Int
  let lastStreamID: Int32
}
