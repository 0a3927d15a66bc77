/// The host (a name or an address) and port of a service.
package struct Endpoint: Hashable, Sendable {
  package let host: String
  package let port: UInt16

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// The value of the HTTP/2 `:authority` pseudo-header; omits the default port 443, and encloses an IPv6 address in
  /// brackets.
  package var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == 443 ? name : "\(name):\(port)"
  }
}
