internal import Reactor

/// Ports of this machine.
enum Loopback {
  /// A port that is free now. Whoever takes it does so a moment later: good enough for a benchmark.
  static func freePort() throws -> UInt16 {
    let listener = try Socket.listen(on: address(port: 0))
    return listener.localAddress?.port ?? 0
  }

  /// Listens on a port, shared with the listeners of other loops.
  static func listen(on port: UInt16) throws -> Socket {
    try Socket.listen(on: address(port: port), reusePort: true)
  }

  /// True when somebody accepts connections there.
  static func accepts(_ port: UInt16) -> Bool {
    guard let address = try? address(port: port), let socket = try? Socket.connect(to: address) else { return false }
    // Over loopback the kernel answers within the call, or at once after it.
    return socket.connectError == 0 && socket.remoteAddress != nil
  }

  private static func address(port: UInt16) throws -> SocketAddress {
    try SocketAddress.resolve(host: "127.0.0.1", port: port)[0]
  }
}
