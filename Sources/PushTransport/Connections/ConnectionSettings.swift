internal import HTTPClient
internal import TLS

/// Settings that all connections of a pool share.
struct ConnectionSettings {
  let endpoint: Endpoint
  /// The tunnel through the proxy, whose addresses the connection then gets; nil for a direct connection.
  let tunnel: ProxyTunnel?
  let context: TLSContext
  /// The peer allows one request until it has seen a good credential.
  let needsProof: Bool
  let streamCap: Int
  let lastStreamID: Int32
}
