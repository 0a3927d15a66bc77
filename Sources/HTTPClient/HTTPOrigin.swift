package import Reactor

/// A server to talk to.
package struct HTTPOrigin: Hashable, Sendable, CustomStringConvertible {
  /// As it stands in `Host`: with the port, unless that is 80.
  package let host: String
  /// Connected to: the server's, or that of the proxy on the way to it.
  package let address: SocketAddress

  /// - Parameter host: for the `Host` header.
  package init(host: String, address: SocketAddress) {
    self.host = host
    self.address = address
  }

  /// Looks the host up, or the proxy on the way to it; blocking, up to the resolver's own time-out.
  package init(host: String, port: UInt16, through tunnel: ProxyTunnel? = nil) throws(SystemError) {
    let name = host.contains(":") ? "[\(host)]" : host
    self.host = port == 80 ? name : "\(name):\(port)"
    let hop = tunnel.map { ($0.proxy.host, $0.proxy.port) } ?? (host, port)
    guard let address = try SocketAddress.resolve(host: hop.0, port: hop.1).first else {
      throw SystemError(code: 113, operation: "resolve", subject: hop.0)
    }
    self.address = address
  }

  /// Reads `http://host[:port]` and looks the host up; blocking. Nil for anything else.
  package static func parse(_ url: String) throws(SystemError) -> HTTPOrigin? {
    guard let url = HTTPURL(url), !url.isSecure else { return nil }
    return try HTTPOrigin(host: url.host, port: url.port)
  }

  package var description: String { "http://\(host)" }
}

/// An address of the web, taken apart: `http://host[:port][/path][?query]`. Pure: nothing is looked up.
package struct HTTPURL: Hashable, Sendable {
  /// True for `https`.
  package let isSecure: Bool
  /// A name or a numeric address; IPv6 without its brackets.
  package let host: String
  package let port: UInt16
  /// Path and query, at least `/`; a fragment is left out.
  package let target: String

  /// Nil when it is no such address, names a user, or holds characters that would have to be encoded.
  package init?(_ text: String) {
    let lowercased = text.prefix(8).lowercased()
    guard lowercased.hasPrefix("http://") || lowercased == "https://" else { return nil }
    isSecure = lowercased == "https://"
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }) else { return nil }
    let rest = text.dropFirst(isSecure ? 8 : 7).prefix { $0 != "#" }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let tail = rest[authority.endIndex...]
    target = tail.first == "/" ? String(tail) : "/" + tail
    guard !authority.contains("@"), let (host, port) = Self.split(authority) else { return nil }
    self.host = host
    switch port {
    case nil, "": self.port = isSecure ? 443 : 80
    case .some(let digits):
      guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(digits), number > 0 else {
        return nil
      }
      self.port = number
    }
  }

  private static func split(_ authority: Substring) -> (host: String, port: Substring?)? {
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      let host = authority[authority.index(after: authority.startIndex)..<end]
      let rest = authority[authority.index(after: end)...]
      guard IPAddress(String(host)) != nil, host.contains(":"), rest.isEmpty || rest.first == ":" else { return nil }
      return (String(host), rest.isEmpty ? nil : rest.dropFirst())
    }
    let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let host = parts.first, !host.isEmpty, !host.contains("["), !host.contains("]") else { return nil }
    return (String(host), parts.count == 2 ? parts[1] : nil)
  }
}
