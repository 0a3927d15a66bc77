package import Reactor

/// The server that a client sends requests to.
package struct HTTPOrigin: Hashable, Sendable, CustomStringConvertible {
  /// The value of the `Host` header, with the port unless it is 80.
  package let host: String
  /// The addresses to connect to, at least one: the server's, or its proxy's. Each is tried if those before it cannot
  /// be reached.
  package let addresses: [SocketAddress]

  /// Creates an origin.
  /// - Parameter host: value of the `Host` header.
  package init(host: String, address: SocketAddress) {
    self.init(host: host, addresses: [address])
  }

  /// Creates an origin with several addresses.
  /// - Parameters:
  ///   - host: value of the `Host` header.
  ///   - addresses: at least one.
  package init(host: String, addresses: [SocketAddress]) {
    precondition(!addresses.isEmpty, "an origin without an address")
    self.host = host
    self.addresses = addresses
  }

  /// The first address.
  package var address: SocketAddress { addresses[0] }

  /// Creates the origin of a host after resolving its name, or with a tunnel the proxy's. Blocks for up to the system
  /// resolver's timeout.
  package init(host: String, port: UInt16, through tunnel: ProxyTunnel? = nil) throws(SystemError) {
    let name = host.contains(":") ? "[\(host)]" : host
    self.host = port == 80 ? name : "\(name):\(port)"
    let hop = tunnel.map { ($0.proxy.host, $0.proxy.port) } ?? (host, port)
    addresses = try SocketAddress.resolve(host: hop.0, port: hop.1)
    guard !addresses.isEmpty else { throw SystemError(code: 113, operation: "resolve", subject: hop.0) }
  }

  /// Parses `http://host[:port]` and resolves the host; returns nil for any other URL. Blocks.
  package static func parse(_ url: String) throws(SystemError) -> HTTPOrigin? {
    guard let url = HTTPURL(url), !url.isSecure else { return nil }
    return try HTTPOrigin(host: url.host, port: url.port)
  }

  package var description: String { "http://\(host)" }
}
