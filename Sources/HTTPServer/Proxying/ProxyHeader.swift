package import Reactor

/// Parses the header by which a proxy names the client of a connection: PROXY protocol version 2 (HAProxy,
/// `proxy-protocol.txt` §2.2). Performs no I/O.
///
/// ```
///   signature (12)  │ version, command (1) │ family, protocol (1) │ length (2) │ addresses, then TLVs (length)
/// ```
///
/// The caller reads exactly the missing bytes (`awaitedBytes`), so that nothing after the header is consumed. A
/// malformed header is refused: its sender is misconfigured, or not the trusted proxy.
package struct ProxyHeader {
  private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
  private static let fixedBytes = 16

  /// Header of a proxy that connects on its own behalf: version 2, command LOCAL, no addresses.
  package static let local = signature + [0x20, 0x00, 0x00, 0x00]

  private var bytes: [UInt8] = []
  /// Length of the whole header in bytes, as far as known: the fixed part until that is complete.
  private var count = ProxyHeader.fixedBytes
  /// The client's address; nil before the header is complete, if the proxy connects on its own behalf (a health check),
  /// or if it names no IP address.
  package private(set) var client: SocketAddress?

  package init() {}

  /// Number of missing bytes, of the fixed part until that is complete; nil if the header is complete.
  package var awaitedBytes: Int? { bytes.count < count ? count - bytes.count : nil }

  /// Adds bytes; traps if they are more than the missing ones. Returns false if the header is invalid, true if it is
  /// complete or can still become valid.
  package mutating func take(_ more: [UInt8]) -> Bool {
    precondition(more.count <= count - bytes.count, "more than was asked for")
    bytes += more
    let known = min(bytes.count, Self.signature.count)
    guard bytes[..<known].elementsEqual(Self.signature[..<known]) else { return false }
    if bytes.count == Self.fixedBytes, count == Self.fixedBytes {
      count += Int(bytes[14]) << 8 | Int(bytes[15])
      // Version 2; LOCAL (0) or PROXY (1).
      guard bytes[12] == 0x20 || bytes[12] == 0x21, count <= HTTPLimits.proxyHeaderBytes else { return false }
    }
    return bytes.count < count || readAddresses()
  }

  private mutating func readAddresses() -> Bool {
    let isLocal = bytes[12] == 0x20
    let addressBytes: Int
    switch bytes[13] {
    // Family unspecified: there is no client address, and the rest has no meaning.
    case 0x00: return true
    case 0x11: addressBytes = 12
    case 0x21: addressBytes = 36
    case 0x31: addressBytes = 216
    // Datagram protocols, or undefined values.
    default: return false
    }
    let start = Self.fixedBytes
    guard count - start >= addressBytes, areTLVs(from: start + addressBytes) else { return false }
    guard !isLocal else { return true }
    switch bytes[13] {
    case 0x11:
      client = SocketAddress(ip: IPAddress(v4: UInt32(number(start, 4))), port: UInt16(number(start + 8, 2)))
    case 0x21:
      let ip = IPAddress(high: number(start, 8), low: number(start + 8, 8))
      client = SocketAddress(ip: ip, port: UInt16(number(start + 32, 2)))
    default: break
    }
    return true
  }

  /// Returns whether type-length-value triples fill the header from `start` to its end exactly. Their content is
  /// ignored.
  private func areTLVs(from start: Int) -> Bool {
    var index = start
    while index < count {
      guard count - index >= 3 else { return false }
      index += 3 + Int(number(index + 1, 2))
    }
    return index == count
  }

  private func number(_ start: Int, _ length: Int) -> UInt64 {
    bytes[start..<start + length].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
