package import Reactor

/// The server that a client sends requests to.
package struct HTTPOrigin: Hashable, Sendable, CustomStringConvertible {
  /// The value of the `Host` header, with the port unless it is 80.
  package let host: String
  /// The address to connect to: the server's, or its proxy's.
  package let address: SocketAddress

  /// Creates an origin.
  /// - Parameter host: value of the `Host` header.
  package init(host: String, address: SocketAddress) {
    self.host = host
    self.address = address
  }

  /// Creates the origin of a host after resolving its name, or with a tunnel the proxy's. Blocks for up to the system
  /// resolver's timeout.
  package init(host: String, port: UInt16, through tunnel: ProxyTunnel? = nil) throws(SystemError) {
    let name = host.contains(":") ? "[\(host)]" : host
    self.host = port == 80 ? name : "\(name):\(port)"
    let hop = tunnel.map { ($0.proxy.host, $0.proxy.port) } ?? (host, port)
    guard let address = try SocketAddress.resolve(host: hop.0, port: hop.1).first else {
      throw SystemError(code: 113, operation: "resolve", subject: hop.0)
    }
    self.address = address
  }

  /// Parses `http://host[:port]` and resolves the host; returns nil for any other URL. Blocks.
  package static func parse(_ url: String) throws(SystemError) -> HTTPOrigin? {
    guard let url = HTTPURL(url), !url.isSecure else { return nil }
    return try HTTPOrigin(host: url.host, port: url.port)
  }

  package var description: String { "http://\(host)" }
}
