internal import Glibc

/// Receives into and sends from buffers, so that code above does not handle raw memory.
extension Socket {
  /// Receives what has arrived, at most `room` bytes more.
  package func receive(into buffer: inout ByteBuffer, room: Int = 16_384) -> Transfer {
    unsafe buffer.write(reserving: room) { free in
      let transfer = unsafe receive(into: free)
      if case .bytes(let count) = transfer { return (count, transfer) }
      return (0, transfer)
    }
  }

  /// Receives what has arrived and not a byte more than `count`: for what precedes a protocol that does its own
  /// reading.
  package func receive(appendingTo bytes: inout [UInt8], atMost count: Int) -> Transfer {
    var room = [UInt8](repeating: 0, count: count)
    let transfer = unsafe room.withUnsafeMutableBytes { unsafe receive(into: $0) }
    if case .bytes(let received) = transfer { bytes += room.prefix(received) }
    return transfer
  }

  /// Sends as much of a buffer as the kernel takes; the caller consumes what was sent.
  package func send(_ buffer: borrowing ByteBuffer) -> Transfer {
    unsafe buffer.withUnsafeReadable { unsafe send($0) }
  }

  /// Sends `bytes[start...]`, as much as the kernel takes.
  package func send(_ bytes: [UInt8], from start: Int) -> Transfer {
    unsafe bytes.withUnsafeBytes { unsafe send(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  /// Bytes that the kernel has taken and the peer has not acknowledged (`tcp(7)`, SIOCOUTQ).
  package var unacknowledgedBytes: Int {
    var count: Int32 = 0
    // If it is unknown, zero is as good as any constant.
    _ = unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count)
    return Int(count)
  }
}

extension ByteBuffer {
  /// A copy of the readable bytes.
  package var bytes: [UInt8] {
    unsafe withUnsafeReadable { unsafe Array($0) }
  }
}
