/// Copies of lent bytes, which `Span` cannot make by itself yet.
extension String {
  /// Replaces bytes that are not UTF-8.
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
