internal import Reactor

/// What carries the bytes of one connection. Plain TCP or Unix sockets today; TLS goes in here and nowhere else.
///
/// An object, so that its connection can let go of it in the middle of a call; the descriptor closes with it.
final class ClientTransport {
  private let socket: Socket

  /// Begins to connect; writable when done.
  init(to address: SocketAddress) throws(SystemError) {
    socket = try Socket.connect(to: address)
  }

  var descriptor: Int32 { socket.descriptor }

  /// 0 when the connection stands, else why not.
  var connectError: Int32 { socket.connectError }

  func receive(into buffer: inout ByteBuffer) -> Socket.Transfer {
    socket.receive(into: &buffer)
  }

  /// Sends once, and consumes what the kernel took.
  func send(_ buffer: inout ByteBuffer) -> Socket.Transfer {
    let transfer = socket.send(buffer)
    if case .bytes(let count) = transfer { buffer.consume(count) }
    return transfer
  }
}
