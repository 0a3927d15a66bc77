internal import CLinux
internal import Glibc

/// An address to listen on or connect to: IPv4, IPv6 or a Unix socket path.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// The bytes of the kernel's `sockaddr_in`, `sockaddr_in6` or `sockaddr_un`.
  let bytes: [UInt8]
  package let description: String

  var family: Int32 { Int32(bytes[0]) | Int32(bytes[1]) << 8 }

  /// The port; 0 for a Unix socket and for `unknown`.
  package var port: UInt16 {
    family == AF_UNIX ? 0 : UInt16(bytes[2]) << 8 | UInt16(bytes[3])
  }

  /// True for 127.0.0.0/8, ::1 and Unix sockets, and therefore also for `unknown`.
  package var isLoopback: Bool {
    switch family {
    case AF_INET, AF_INET6: ip?.isLoopback ?? false
    default: true
    }
  }

  /// The numeric host without port, for example `192.0.2.7` or `2001:db8::1`; `unix:` and the path for a Unix socket.
  package var host: String {
    guard family != AF_UNIX else { return description }
    return Self.numericName(bytes).host
  }

  /// Creates an address from the bytes of a whole `sockaddr`, which starts with the address family. For an IP family,
  /// `bytes` must include the port and the address.
  init(bytes: [UInt8]) {
    self.bytes = bytes
    let family = Int32(bytes[0]) | Int32(bytes[1]) << 8
    if family == AF_UNIX {
      description = "unix:" + String(decoding: bytes.dropFirst(2).prefix { $0 != 0 }, as: UTF8.self)
    } else {
      let (host, port) = Self.numericName(bytes)
      description = family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
  }

  /// A placeholder for the address of a peer that disconnected before its address could be read: a Unix socket without
  /// a path.
  package static let unknown = SocketAddress(bytes: [UInt8(AF_UNIX), 0])

  /// Returns the address of a Unix socket at `path`.
  /// - Throws: ENAMETOOLONG if the path exceeds 107 bytes (`unix(7)`).
  package static func unix(path: String) throws(SystemError) -> SocketAddress {
    guard path.utf8.count <= 107 else { throw SystemError(code: ENAMETOOLONG, operation: "unix socket", subject: path) }
    return SocketAddress(bytes: [UInt8(AF_UNIX), 0] + Array(path.utf8) + [0])
  }

  /// Resolves a host name, without caching, to at least one address, in order of preference. Blocks for up to the
  /// system resolver's timeout.
  /// - Parameters:
  ///   - host: a name or a numeric address; empty for the loopback addresses.
  ///   - passive: true to resolve for listening; then an empty host means all interfaces.
  /// - Throws: EHOSTUNREACH for every failure, with the reason in `subject`.
  package static func resolve(
    host: String, port: UInt16, passive: Bool = false
  ) throws(SystemError) -> [SocketAddress] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host.isEmpty ? nil : host, String(port), &hints, &list)
    guard code == 0 else {
      let reason = unsafe code == EAI_SYSTEM ? String(cString: strerror(errno)) : String(cString: gai_strerror(code))
      throw SystemError(code: EHOSTUNREACH, operation: "resolve", subject: "\(host) (\(reason))")
    }
    defer { unsafe freeaddrinfo(list) }
    var found: [SocketAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      // Safe: getaddrinfo reports how many bytes of the address are valid.
      let raw = unsafe UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen))
      unsafe found.append(SocketAddress(bytes: Array(raw)))
      unsafe next = entry.pointee.ai_next
    }
    return found
  }

  private static func numericName(_ bytes: [UInt8]) -> (host: String, port: String) {
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    // Safe: the array outlives the call and holds a whole sockaddr of its family.
    unsafe bytes.withUnsafeBytes { raw in
      _ = unsafe getnameinfo(
        raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count),
        &host, socklen_t(host.count), &port, socklen_t(port.count), NI_NUMERICHOST | NI_NUMERICSERV)
    }
    return (text(host), text(port))
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
