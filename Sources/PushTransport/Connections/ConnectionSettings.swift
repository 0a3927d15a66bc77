internal import HTTPClient
internal import TLS

/// What all connections of a pool have in common.
struct ConnectionSettings {
  let endpoint: Endpoint
  /// The way through the proxy, whose addresses the connection is then given; nil for the straight one.
  let tunnel: ProxyTunnel?
  let context: TLSContext
  /// The peer allows one request until it has seen a good credential.
  let needsProof: Bool
  let streamCap: Int
  let lastStreamID: Int32
}
