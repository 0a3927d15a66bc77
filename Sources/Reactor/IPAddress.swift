internal import Glibc

/// An IP address without a port, cheap to compare and hash. IPv4 addresses are stored as IPv4-mapped IPv6
/// (`::ffff:0:0/96`), as the kernel reports IPv4 clients of an IPv6 socket, so that a client has the same address on
/// either kind of socket.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
  /// The first 64 bits as a big-endian number; `low` has the other 64.
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates the IPv4-mapped address of an IPv4 address.
  /// - Parameter v4: the IPv4 address as a big-endian number.
  package init(v4: UInt32) {
    high = 0
    low = 0xFFFF_0000_0000 | UInt64(v4)
  }

  /// Parses `192.0.2.7` or `2001:db8::1`, like `inet_pton(3)`: no names, ports, brackets or zones. Returns nil if
  /// malformed.
  package init?(_ text: some StringProtocol) {
    let text = String(text)
    guard !text.utf8.contains(0) else { return nil }
    if text.utf8.contains(UInt8(ascii: ":")) {
      var bytes = [UInt8](repeating: 0, count: 16)
      // Safe: the array has the sixteen bytes that the call writes.
      guard unsafe inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
      self.init(high: Self.number(bytes[..<8]), low: Self.number(bytes[8...]))
    } else {
      var bytes = [UInt8](repeating: 0, count: 4)
      // Safe: the array has the four bytes that the call writes.
      guard unsafe inet_pton(AF_INET, text, &bytes) == 1 else { return nil }
      self.init(v4: UInt32(Self.number(bytes[...])))
    }
  }

  package var isV4: Bool { high == 0 && low >> 32 == 0xFFFF }

  package var isLoopback: Bool {
    isV4 ? low >> 24 & 0xFF == 127 : high == 0 && low == 1
  }

  /// Returns the address with all but the first `bits` of its 128 bits cleared. Below 0 counts as 0, above 128 as 128.
  package func prefix(_ bits: Int) -> IPAddress {
    IPAddress(
      high: bits >= 64 ? high : high & Self.mask(bits),
      low: bits >= 128 ? low : low & Self.mask(bits - 64))
  }

  /// The key for limits per client: the address itself for IPv4; for IPv6 its first 64 bits, because a client controls
  /// all addresses of its /64 (RFC 6177).
  package var network: IPAddress { isV4 ? self : prefix(64) }

  private static func mask(_ bits: Int) -> UInt64 {
    bits <= 0 ? 0 : ~0 << UInt64(64 - bits)
  }

  static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  package var description: String {
    if isV4 { return [24, 16, 8, 0].map { String(low >> $0 & 0xFF) }.joined(separator: ".") }
    return SocketAddress(ip: self, port: 0).host
  }
}

/// A block of addresses in CIDR notation: `10.0.0.0/8`, `2001:db8::/32`, or one address alone (RFC 4632 §3.1).
package struct IPBlock: Hashable, Sendable, CustomStringConvertible {
  package let base: IPAddress
  /// The prefix length, counted in the 128-bit form: 104 for an IPv4 /8.
  package let bits: Int

  /// Parses CIDR notation. Returns nil if malformed, or if bits after the prefix are set, which is usually a mistake.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(parts[0]) else { return nil }
    let width = address.isV4 && !parts[0].contains(":") ? 32 : 128
    var length = width
    if parts.count == 2 {
      guard parts[1].utf8.count <= 3, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let number = Int(parts[1]), number <= width
      else { return nil }
      length = number
    }
    bits = 128 - width + length
    base = address.prefix(bits)
    guard base == address else { return nil }
  }

  package func contains(_ address: IPAddress) -> Bool { address.prefix(bits) == base }

  package var description: String {
    base.isV4 && bits >= 96 ? "\(base)/\(bits - 96)" : "\(base)/\(bits)"
  }
}

extension SocketAddress {
  /// The IP address without the port; nil for a Unix socket, and for `SocketAddress.unknown`.
  package var ip: IPAddress? {
    switch family {
    case AF_INET where bytes.count >= 8: IPAddress(v4: UInt32(IPAddress.number(bytes[4..<8])))
    case AF_INET6 where bytes.count >= 24:
      IPAddress(high: IPAddress.number(bytes[8..<16]), low: IPAddress.number(bytes[16..<24]))
    default: nil
    }
  }

  /// Creates a socket address from an IP address and a port. An IPv4-mapped address becomes a plain IPv4 address.
  package init(ip: IPAddress, port: UInt16) {
    let portBytes = [UInt8(port >> 8), UInt8(truncatingIfNeeded: port)]
    func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - $0))) }
    }
    if ip.isV4 {
      self.init(bytes: [UInt8(AF_INET), 0] + portBytes + bytes(ip.low, 4) + [UInt8](repeating: 0, count: 8))
    } else {
      self.init(
        bytes: [UInt8(AF_INET6), 0] + portBytes + [0, 0, 0, 0] + bytes(ip.high, 8) + bytes(ip.low, 8) + [0, 0, 0, 0])
    }
  }
}
