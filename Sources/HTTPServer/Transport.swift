internal import Glibc
internal import Reactor

/// What carries the bytes of one connection. Plain TCP or Unix sockets today; TLS goes in here and nowhere else.
struct Transport: ~Copyable {
  private let socket: Socket

  init(_ socket: consuming Socket) {
    self.socket = socket
  }

  var descriptor: Int32 { socket.descriptor }
  var remoteAddress: SocketAddress? { socket.remoteAddress }

  /// Reads once, into at least `bytes` of free space.
  func receive(into buffer: inout ByteBuffer, reserving bytes: Int) -> Socket.Transfer {
    // Safe: the kernel writes into the free space it is lent, and no more than fits.
    unsafe buffer.write(reserving: bytes) { free in
      let transfer = unsafe socket.receive(into: free)
      if case .bytes(let count) = transfer { return (count, transfer) }
      return (0, transfer)
    }
  }

  /// Sends once, and consumes what the kernel took.
  func send(_ buffer: inout ByteBuffer) -> Socket.Transfer {
    // Safe: the bytes are lent for the length of the call.
    let transfer = unsafe buffer.withUnsafeReadable { unsafe socket.send($0) }
    if case .bytes(let count) = transfer { buffer.consume(count) }
    return transfer
  }

  /// Sends `bytes[start...]` once.
  func send(_ bytes: [UInt8], from start: Int) -> Socket.Transfer {
    // Safe: as above.
    unsafe bytes.withUnsafeBytes { unsafe socket.send(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  /// Bytes that the kernel has taken and the client's has not (`tcp(7)`, SIOCOUTQ).
  var unacknowledgedBytes: Int {
    var count: Int32 = 0
    // Safe: the call fills one int. Where it is unknown, zero is as good as any number that does not change.
    _ = unsafe ioctl(socket.descriptor, UInt(TIOCOUTQ), &count)
    return Int(count)
  }

  /// The client reads end of stream; we can still read.
  func shutdownWrite() {
    socket.shutdownWrite()
  }

  /// Makes the close that follows a reset: nothing unsent is kept for a client that does not read.
  func resetOnClose() {
    socket.resetOnClose()
  }
}
