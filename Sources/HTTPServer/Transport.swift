internal import Reactor

/// What carries the bytes of one connection. Plain TCP or Unix sockets today; TLS goes in here and nowhere else.
///
/// An object, so that its connection can let go of it in the middle of a call; the descriptor closes with it.
final class Transport {
  private let socket: Socket

  init(_ socket: consuming Socket) {
    self.socket = socket
  }

  var remoteAddress: SocketAddress? { socket.remoteAddress }

  /// Reads once, into at least `bytes` of free space.
  func receive(into buffer: inout ByteBuffer, reserving bytes: Int) -> Socket.Transfer {
    socket.receive(into: &buffer, room: bytes)
  }

  /// Sends once, and consumes what the kernel took.
  func send(_ buffer: inout ByteBuffer) -> Socket.Transfer {
    let transfer = socket.send(buffer)
    if case .bytes(let count) = transfer { buffer.consume(count) }
    return transfer
  }

  /// Sends `bytes[start...]` once.
  func send(_ bytes: [UInt8], from start: Int) -> Socket.Transfer {
    socket.send(bytes, from: start)
  }

  /// Bytes that the kernel has taken and the client's has not.
  var unacknowledgedBytes: Int { socket.unacknowledgedBytes }

  /// The client reads end of stream; we can still read.
  func shutdownWrite() {
    socket.shutdownWrite()
  }

  /// Makes the close that follows a reset: nothing unsent is kept for a client that does not read.
  func resetOnClose() {
    socket.resetOnClose()
  }
}
