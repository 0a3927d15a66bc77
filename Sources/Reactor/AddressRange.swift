internal import CLinux
internal import Glibc

/// A network in CIDR notation (RFC 4632): `10.0.0.0/8`, `2001:db8::/32`, or one address.
package struct AddressRange: Hashable, Sendable, CustomStringConvertible {
  package let description: String
  /// 16 bytes: IPv4 stands in its place within IPv6 (RFC 4291 §2.5.5.2), so that either spelling of a peer matches.
  private let network: [UInt8]
  /// Leading bits that count, of 128.
  private let bits: Int

  /// Nil when it is no address, or the length is out of range. Bits behind the length may be set; they do not count.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let host = String(parts[0])
    // Names are not looked up: who they mean could change.
    let isSmall = !host.contains(":")
    guard let bytes = isSmall ? Self.small(host) : Self.large(host) else { return nil }
    var length = isSmall ? 32 : 128
    if parts.count == 2 {
      guard parts[1].utf8.allSatisfy({ (48...57).contains($0) }), let given = Int(parts[1]), given <= length else {
        return nil
      }
      length = given
    }
    network = bytes
    bits = isSmall ? 96 + length : length
    description = text
  }

  /// False for Unix sockets.
  package func contains(_ address: SocketAddress) -> Bool {
    guard let bytes = Self.sixteen(address) else { return false }
    let whole = bits / 8
    guard bytes[..<whole] == network[..<whole] else { return false }
    let rest = bits % 8
    return rest == 0 || (bytes[whole] ^ network[whole]) >> UInt8(8 - rest) == 0
  }

  /// Four decimal numbers.
  private static func small(_ host: String) -> [UInt8]? {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, host.utf8.allSatisfy({ isNumeric($0) }) else { return nil }
    let numbers = parts.compactMap { $0.utf8.count <= 3 ? UInt8($0) : nil }
    return numbers.count == 4 ? mapped(numbers[...]) : nil
  }

  private static func large(_ host: String) -> [UInt8]? {
    guard host.utf8.allSatisfy({ isNumeric($0) }) else { return nil }
    return (try? SocketAddress.resolve(host: host, port: 0).first).flatMap { sixteen($0) }
  }

  private static func mapped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + bytes
  }

  private static func sixteen(_ address: SocketAddress) -> [UInt8]? {
    switch address.family {
    case AF_INET: mapped(address.bytes[4..<8])
    case AF_INET6: Array(address.bytes[8..<24])
    default: nil
    }
  }

  /// Hexadecimal digits, full stops and colons.
  private static func isNumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "."), UInt8(ascii: ":"):
      true
    default: false
    }
  }
}
