internal import FoundationEssentials
internal import Reactor

/// The operator's HTTP proxy for outbound connections (CONNECT, RFC 9110 §9.3.6), and the exceptions that bypass it.
///
/// Hosts fixed by UPMC or the operator (APNs, FCM, access tokens) are passed to the proxy by name. Hosts chosen by a
/// tenant (webhooks) are resolved here and checked against the `AddressRule`, and the proxy receives the checked
/// address. It receives the name only if the operator states that the proxy resolves names and checks their addresses
/// itself.
///
/// The description is `host:port`. User and password appear only in the request to the proxy.
package struct OutboundProxy: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
  /// The host name or numeric address; IPv6 without brackets. Chosen by the operator, so it may be private.
  package let host: String
  package let port: UInt16
  /// The value of `Proxy-Authorization`; nil if the proxy requires none.
  let authorization: String?
  private let exceptions: ProxyExceptions
  /// True if the proxy receives tenants' host names unresolved, because no DNS is available here.
  package let resolvesNames: Bool

  /// Parses the URL of a proxy.
  /// - Parameter url: `http://[user:password@]host:port`, with user and password percent-encoded.
  package init(
    _ url: String, without exceptions: ProxyExceptions = ProxyExceptions(), resolvesNames: Bool = false
  ) throws(ProxyFault) {
    var rest = Substring(url)
    guard let scheme = rest.firstRange(of: "://") else { throw ProxyFault(reason: "is no address. \(Self.form)") }
    guard rest[..<scheme.lowerBound].lowercased() == "http" else {
      throw ProxyFault(
        reason: "does not begin with http://: the proxy is spoken to in plain HTTP, and asked for CONNECT")
    }
    rest = rest[scheme.upperBound...]
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    guard !rest.contains(where: { "/?#".contains($0) }) else {
      throw ProxyFault(
        reason: "has a path, or a /, ? or # in its password: write %2F, %3F or %23. \(Self.form)")
    }
    let parts = rest.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count <= 2, let place = parts.last else {
      throw ProxyFault(reason: "has more than one @. Write one in a password as %40")
    }
    guard let address = HTTPURL("http://\(place)"), Self.authority(address.host, address.port) == place.lowercased()
    else { throw ProxyFault(reason: "names no host and port. \(Self.form)") }
    host = address.host
    port = address.port
    authorization = parts.count == 2 ? try Self.basic(parts[0]) : nil
    self.exceptions = exceptions
    self.resolvesNames = resolvesNames
  }

  private static let form = "Write http://host:port or http://user:password@host:port"

  /// Encodes `Basic` credentials (RFC 7617) in UTF-8. Throws if they contain characters that could end a header.
  private static func basic(_ text: Substring) throws(ProxyFault) -> String {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let user = PercentText.decode(parts[0]), let password = PercentText.decode(parts.count == 2 ? parts[1] : "")
    else {
      throw ProxyFault(
        reason: "holds a user or a password that is not percent-encoded UTF-8: write % as %25, : as %3A, @ as %40")
    }
    guard !user.isEmpty, !user.contains(":") else {
      throw ProxyFault(reason: "holds a user that is empty or has a colon, which no proxy can be told")
    }
    return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
  }

  func isException(_ host: String) -> Bool { exceptions.contains(host: host) }
  func isException(_ address: IPAddress) -> Bool { exceptions.contains(address) }

  package var description: String { Self.authority(host, port) }
  package var debugDescription: String { description }

  /// Returns the target of CONNECT, `host:port` in lower case, with IPv6 in brackets.
  static func authority(_ host: String, _ port: UInt16) -> String {
    (host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)").lowercased()
  }
}
