internal import Glibc

/// Receives into and sends from Swift buffers, so that callers need no raw memory.
extension Socket {
  /// Receives available bytes with one system call, into at least `room` bytes of free buffer space; `room` must be
  /// positive.
  package func receive(into buffer: inout ByteBuffer, room: Int = 16_384) -> Transfer {
    unsafe buffer.write(reserving: room) { free in
      let transfer = unsafe receive(into: free)
      if case .bytes(let count) = transfer { return (count, transfer) }
      return (0, transfer)
    }
  }

  /// Receives at most `count` available bytes; `count` must be positive. For a preamble (a PROXY header, the answer to
  /// CONNECT) before a protocol that does its own reading, such as TLS.
  package func receive(appendingTo bytes: inout [UInt8], atMost count: Int) -> Transfer {
    var room = [UInt8](repeating: 0, count: count)
    let transfer = unsafe room.withUnsafeMutableBytes { unsafe receive(into: $0) }
    if case .bytes(let received) = transfer { bytes += room.prefix(received) }
    return transfer
  }

  /// Sends as much of a buffer as the kernel accepts. The caller must consume what was sent.
  package func send(_ buffer: borrowing ByteBuffer) -> Transfer {
    unsafe buffer.withUnsafeReadable { unsafe send($0) }
  }

  /// Sends as much of `bytes[start...]` as the kernel accepts.
  package func send(_ bytes: [UInt8], from start: Int) -> Transfer {
    unsafe bytes.withUnsafeBytes { unsafe send(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  /// The number of bytes passed to the kernel that the peer has not acknowledged (`tcp(7)`, SIOCOUTQ); 0 if unknown.
  package var unacknowledgedBytes: Int {
    var count: Int32 = 0
    // If the call fails, `count` stays 0.
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
