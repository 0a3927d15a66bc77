package import Reactor

/// The networks of servers that need no API key, as in the original protocol. None by default.
///
/// The address that is compared is the client's: behind a trusted proxy, the one that the proxy reports.
package struct TrustedAddresses: Sendable {
  private let blocks: [IPBlock]

  package init(_ blocks: [IPBlock] = []) {
    self.blocks = blocks
  }

  /// Returns whether an address belongs to one of the networks.
  /// - Parameter address: nil for a Unix socket, which is never trusted.
  func includes(_ address: IPAddress?) -> Bool {
    guard let address else { return false }
    return blocks.contains { $0.contains(address) }
  }
}
