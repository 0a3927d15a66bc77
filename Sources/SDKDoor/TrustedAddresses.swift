package import Reactor

/// Servers that may send by their address alone, as the original trusted them: networks in CIDR notation. Empty as long
/// as nobody sets it.
package struct TrustedAddresses: Sendable {
  private let ranges: [AddressRange]

  package init(_ ranges: [AddressRange] = []) {
    self.ranges = ranges
  }

  func includes(_ address: SocketAddress) -> Bool {
    ranges.contains { $0.contains(address) }
  }

  var isEmpty: Bool { ranges.isEmpty }
}
