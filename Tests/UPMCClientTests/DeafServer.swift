import Reactor

/// A port that takes connections and never answers.
struct DeafServer: ~Copyable {
  private let socket: Socket
  let port: UInt16

  init() throws {
    socket = try Socket.listen(on: try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    port = socket.localAddress?.port ?? 0
  }
}
