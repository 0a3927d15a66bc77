internal import Reactor

/// The hosts that are called without the proxy, in the usual `NO_PROXY` syntax: `push.bank.example` is that host and
/// all its subdomains, `.bank.example` only the subdomains; `10.0.0.0/8` and `192.0.2.7` are addresses.
package struct ProxyExceptions: Hashable, Sendable {
  /// The name in lower case, without a leading dot.
  private struct Name: Hashable, Sendable {
    let text: String
    /// True if the entry matches the name itself, besides its subdomains.
    let isHost: Bool
  }

  private var names: [Name] = []
  private var blocks: [IPBlock] = []

  package init() {}

  /// Parses a list of exceptions, as in NO_PROXY.
  /// - Parameter text: entries separated by commas.
  package init(_ text: String) throws(ProxyFault) {
    for entry in text.split(separator: ",") {
      let entry = String(entry.filter { $0 != " " }).lowercased()
      if entry.isEmpty { continue }
      if let block = IPBlock(entry) {
        blocks.append(block)
        continue
      }
      let isBelow = entry.hasPrefix(".") || entry.hasPrefix("*.")
      let name = isBelow ? String(entry.drop { $0 == "*" }.dropFirst()) : entry
      guard Self.isName(name) else {
        throw ProxyFault(
          reason: """
            \(entry) is no host, domain, address or network. Write for example push.bank.example,.bank.example,10.0.0.0/8
            """)
      }
      names.append(Name(text: name, isHost: !isBelow))
    }
  }

  /// Returns true for a host name: letters, digits, `-`, `_`, and dots between them.
  static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.first != "." && text.last != "."
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
      }
  }

  /// Returns true if a host is called without the proxy.
  /// - Parameter host: a name or a numeric address.
  func contains(host: String) -> Bool {
    if let address = IPAddress(host) { return contains(address) }
    var host = host.lowercased()
    if host.hasSuffix(".") { host.removeLast() }
    return names.contains { name in name.isHost && host == name.text || host.hasSuffix("." + name.text) }
  }

  func contains(_ address: IPAddress) -> Bool {
    blocks.contains { $0.contains(address) }
  }
}
