import Glibc
internal import Reactor

/// A port for a program that stops and comes back to it, or that cannot listen on any port and say which.
///
/// The kernel gives ports of its own range to whoever connects, also while the program is away; so it is taken from below
/// that range, where nobody is but who asked for that very port. No other test gets it, in this process or another.
package enum LastingPort {
  /// - Throws: when not one of a hundred is free, which no machine of tests has ever had.
  package static func find() throws -> UInt16 {
    var failure = SystemError(code: 0, operation: "no port was tried")
    for _ in 0..<100 {
      let port = UInt16.random(in: 15_000..<32_000)
      guard reserve(port) else { continue }
      do throws(SystemError) {
        _ = try Socket.listen(on: try SocketAddress.resolve(host: "127.0.0.1", port: port)[0])
        return port
      } catch {
        failure = error
      }
    }
    throw failure
  }

  /// Binds a datagram socket to the same number, which this process keeps to its end; false where another one has it.
  private static func reserve(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    guard descriptor >= 0 else { return false }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if code != 0 { close(descriptor) }
    return code == 0
  }
}
