internal import Reactor

/// Ports on the loopback address.
enum Loopback {
  /// A port that is free now. It may be taken before the caller binds it: good enough for a benchmark.
  static func freePort() throws -> UInt16 {
    let listener = try Socket.listen(on: address(port: 0))
    return listener.localAddress?.port ?? 0
  }

  /// Listens on a port, shared with the listeners of other loops.
  static func listen(on port: UInt16) throws -> Socket {
    try Socket.listen(on: address(port: port), reusePort: true)
  }

  /// True if a server accepts connections there.
  static func accepts(_ port: UInt16) -> Bool {
    guard let address = try? address(port: port), let socket = try? Socket.connect(to: address) else { return false }
    // Over loopback, connect completes within the call or right after it.
    return socket.connectError == 0 && socket.remoteAddress != nil
  }

  private static func address(port: UInt16) throws -> SocketAddress {
    try SocketAddress.resolve(host: "127.0.0.1", port: port)[0]
  }
}
