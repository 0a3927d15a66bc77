package import Reactor

/// The one rule for every address that somebody else than the operator names: webhooks, and through them the partners that
/// send short messages. What a customer writes into a URL is carried out by this server, from inside the network; it must
/// not reach what only that network may. Pure.
///
/// It is asked about the address that is connected to, after each look-up, for a name may mean another one by then. Nothing
/// else that a customer names is called: where access tokens are got is Google's or the operator's word (`TokenAddress`).
/// Decision 116.
package struct AddressRule: Sendable {
  private let allowed: [IPBlock]

  /// - Parameter allowed: networks of one's own that may be called as well.
  package init(allowing allowed: [IPBlock] = []) {
    self.allowed = allowed
  }

  /// Everything that is not the public Internet (IANA's special-purpose registries), and what carries an IPv4 address
  /// inside that could be one of these.
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

  /// Ends of names that never leave a machine or its network.
  private static let inward: Set<Substring> = [
    "localhost", "localdomain", "localdomain4", "localdomain6", "local", "internal",
  ]

  /// About a name that the operator's proxy looks up, and whose private addresses the proxy must refuse: no for what can be
  /// told from here, which is addresses however they are written, and names of the proxy itself and of its network.
  package func allows(name: String, isSecure: Bool, through proxy: OutboundProxy) -> Bool {
    let (name, own) = (Self.plain(name), Self.plain(proxy.host))
    if let address = IPAddress(name) { return address != IPAddress(own) && allows(address, isSecure: isSecure) }
    // Neither an address nor a name is what a proxy may read in its own way: %-signs, zones.
    guard isSecure, name != own, ProxyExceptions.isName(name) else { return false }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    // A single label is completed with the proxy's own domain.
    guard labels.count > 1, let last = labels.last, !labels.contains(""), !Self.inward.contains(last),
      labels.suffix(2) != ["home", "arpa"]
    else { return false }
    // What resolvers take for an address too: 127.1, 2130706433, 0x7f000001.
    return !last.hasPrefix("0x") && last.contains { !$0.isNumber }
  }

  /// In small letters, without the dot at the end.
  private static func plain(_ name: String) -> String {
    let name = name.lowercased()
    return name.hasSuffix(".") ? String(name.dropLast()) : name
  }

  /// - Parameter isSecure: whether it is spoken to with TLS; plain HTTP only goes where the configuration says.
  package func allows(_ address: IPAddress, isSecure: Bool) -> Bool {
    if isAllowedByName(address) { return true }
    return isSecure && !Self.special.contains { $0.contains(address) }
  }
}
