package import Reactor

/// The server that a client talks to.
package struct HTTPOrigin: Hashable, Sendable, CustomStringConvertible {
  /// Value of the `Host` header, with the port unless it is 80.
  package let host: String
  /// Address to connect to: the server's, or its proxy's.
  package let address: SocketAddress

  /// - Parameter host: value of the `Host` header.
  package init(host: String, address: SocketAddress) {
    self.host = host
    self.address = address
  }

  /// Resolves the host, or with a tunnel the proxy. Blocks for up to the system resolver's timeout.
  package init(host: String, port: UInt16, through tunnel: ProxyTunnel? = nil) throws(SystemError) {
    let name = host.contains(":") ? "[\(host)]" : host
    self.host = port == 80 ? name : "\(name):\(port)"
    let hop = tunnel.map { ($0.proxy.host, $0.proxy.port) } ?? (host, port)
    guard let address = try SocketAddress.resolve(host: hop.0, port: hop.1).first else {
      throw SystemError(code: 113, operation: "resolve", subject: hop.0)
    }
    self.address = address
  }

  /// Parses `http://host[:port]` and resolves the host. Blocks. Nil for any other URL.
  package static func parse(_ url: String) throws(SystemError) -> HTTPOrigin? {
    guard let url = HTTPURL(url), !url.isSecure else { return nil }
    return try HTTPOrigin(host: url.host, port: url.port)
  }

  package var description: String { "http://\(host)" }
}
