/// Initializers that copy the bytes of a `Span`, which the standard library does not provide yet.
extension String {
  /// Creates a string from UTF-8; invalid bytes are replaced.
  @inlinable
  package init(copying bytes: Span<UInt8>) {
    // Safe: the bytes are read within the call.
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension Array<UInt8> {
  @inlinable
  package init(copying bytes: Span<UInt8>) {
    // Safe: the bytes are read within the call.
    self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }
}
