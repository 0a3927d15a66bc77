package import Reactor

/// Servers that may send by their address alone, as the original trusted them: networks in CIDR notation. Empty as long
/// as nobody sets it.
///
/// What is compared is who really asks: behind a proxy that the operator trusts, the client that it names.
package struct TrustedAddresses: Sendable {
  private let blocks: [IPBlock]

  package init(_ blocks: [IPBlock] = []) {
    self.blocks = blocks
  }

  /// - Parameter address: nil for a Unix socket, whose clients are nobody's.
  func includes(_ address: IPAddress?) -> Bool {
    guard let address else { return false }
    return blocks.contains { $0.contains(address) }
  }
}
