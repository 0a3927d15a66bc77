extension Socket {
  /// Reads what has come, at most `room` bytes more.
  package func receive(into buffer: inout ByteBuffer, room: Int = 16_384) -> Transfer {
    unsafe buffer.write(reserving: room) { free in
      let transfer = unsafe receive(into: free)
      if case .bytes(let count) = transfer { return (count, transfer) }
      return (0, transfer)
    }
  }

  /// Sends as much of a buffer as the kernel takes; the caller consumes what went.
  package func send(_ buffer: borrowing ByteBuffer) -> Transfer {
    unsafe buffer.withUnsafeReadable { unsafe send($0) }
  }
}

extension ByteBuffer {
  /// A copy of the readable bytes.
  package var bytes: [UInt8] {
    unsafe withUnsafeReadable { unsafe Array($0) }
  }
}
