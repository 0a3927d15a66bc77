package import Reactor

/// Networks, in CIDR notation, of servers that may send by their address alone, as in the original. Empty by default.
///
/// The address compared is the real client's: behind a trusted proxy, the one that the proxy names.
package struct TrustedAddresses: Sendable {
  private let blocks: [IPBlock]

  package init(_ blocks: [IPBlock] = []) {
    self.blocks = blocks
  }

  /// - Parameter address: nil for a Unix socket, which is never trusted.
  func includes(_ address: IPAddress?) -> Bool {
    guard let address else { return false }
    return blocks.contains { $0.contains(address) }
  }
}
