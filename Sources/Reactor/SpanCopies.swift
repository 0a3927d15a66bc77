/// Copies of bytes that were lent: what a `Span` cannot do by itself yet.
extension String {
  /// Bytes that are not UTF-8 are replaced.
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
