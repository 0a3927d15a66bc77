package import PlainText
package import Reactor

/// Decides which addresses may be called for webhooks, whose URLs customers choose. This server sends the requests from
/// inside the operator's network, so they must not reach hosts that only that network can reach (SSRF).
///
/// Callers check the address they connect to after each look-up, because a name may resolve differently each time.
/// Customers choose no other URLs: those for access tokens are chosen by Google or the operator (`TokenAddress`).
/// Decision 116.
package struct AddressRule: Sendable {
  private let allowed: [IPBlock]

  /// Creates a rule.
  /// - Parameter allowed: private networks that may be called nevertheless.
  package init(allowing allowed: [IPBlock] = []) {
    self.allowed = allowed
  }

  /// The special-purpose addresses of IANA's registries, which are not on the public internet, and the IPv6 ranges that
  /// embed IPv4 addresses, which could be such addresses.
  private static let special: [IPBlock] = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
    "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
  ].map { text in
    guard let block = IPBlock(text) else { preconditionFailure("\(text) is no block") }
    return block
  }

  package func isAllowedByName(_ address: IPAddress) -> Bool {
    allowed.contains { $0.contains(address) }
  }

  /// The domain suffixes that are never resolved outside a machine or its network.
  private static let inward: Set<Substring> = [
    "localhost", "localdomain", "localdomain4", "localdomain6", "local", "internal",
  ]

  /// Returns true if a name may be passed to the operator's proxy, which resolves it and must itself refuse private
  /// addresses. Refuses what can be recognized here: forbidden addresses, numbers that resolvers accept as addresses,
  /// and the proxy's own names.
  package func allows(name: String, isSecure: Bool, through proxy: OutboundProxy) -> Bool {
    let (name, own) = (Self.plain(name), Self.plain(proxy.host))
    if let address = IPAddress(name) { return address != IPAddress(own) && allows(address, isSecure: isSecure) }
    // This also rejects %-escapes and zones, which proxies interpret differently.
    guard isSecure, name != own, ProxyExceptions.isName(name) else { return false }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    // A proxy may complete a name of one label with its own domain.
    guard labels.count > 1, let last = labels.last, !labels.contains(""), !Self.isInward(name) else { return false }
    // Resolvers also accept these as addresses: 127.1, 2130706433, 0x7f000001.
    return !last.hasPrefix("0x") && last.contains { !$0.isNumber }
  }

  /// Returns the reason why no request to this URL would ever be made, as the end of a sentence about the URL; nil if
  /// that depends on the addresses that its name resolves to.
  package func objection(to url: HTTPURL) -> Sentence? {
    let name = Self.plain(url.host)
    if let address = IPAddress(name) { return allows(address, isSecure: url.isSecure) ? nil : Self.objection(to: url) }
    let last = name.split(separator: ".", omittingEmptySubsequences: false).last ?? ""
    // Resolvers also accept these as addresses: 127.1, 2130706433, 0x7f000001.
    guard !last.hasPrefix("0x"), last.contains(where: { !$0.isNumber }) else {
      return "has a host that is neither a name nor a whole address"
    }
    if last == "localhost", !["127.0.0.1", "::1"].contains(where: { IPAddress($0).map(isAllowedByName) == true }) {
      return Self.objection(to: url)
    }
    return allowed.isEmpty && (!url.isSecure || Self.isInward(name)) ? Self.objection(to: url) : nil
  }

  private static func objection(to url: HTTPURL) -> Sentence {
    url.isSecure
      ? "leads to a private network, and UPMC_WEBHOOK_PRIVATE does not allow it"
      : "must begin with https: plain http goes only to networks that UPMC_WEBHOOK_PRIVATE allows"
  }

  private static func isInward(_ name: String) -> Bool {
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    return labels.last.map(inward.contains) == true || labels.suffix(2) == ["home", "arpa"]
  }

  /// Returns the name in lower case, without a trailing dot.
  private static func plain(_ name: String) -> String {
    let name = name.lowercased()
    return name.hasSuffix(".") ? String(name.dropLast()) : name
  }

  /// Returns true if an address may be called.
  /// - Parameter isSecure: true if the connection uses TLS; plain HTTP is allowed only to addresses that the
  ///   configuration allows.
  package func allows(_ address: IPAddress, isSecure: Bool) -> Bool {
    if isAllowedByName(address) { return true }
    return isSecure && !Self.special.contains { $0.contains(address) }
  }
}
