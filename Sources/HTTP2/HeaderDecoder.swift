internal import CNGHTTP2

/// Decompresses the header blocks (HPACK, RFC 7541) of one connection, using nghttp2.
@safe
struct HeaderDecoder: ~Copyable {
  private let inflater: OpaquePointer

  init() throws(HTTP2Error) {
    var made: OpaquePointer?
    let code = unsafe nghttp2_hd_inflate_new(&made)
    guard code == 0, let made = unsafe made else { throw HTTP2Error("start", code: Int(code)) }
    unsafe inflater = made
  }

  deinit {
    unsafe nghttp2_hd_inflate_del(inflater)
  }

  enum Outcome {
    case whole
    // The block violates RFC 7541. After `malformed` and `tooLong` the HPACK table no longer matches the peer's, so the
    // connection cannot continue.
    case malformed
    /// The decoded header list exceeds the limit.
    case tooLong
  }

  /// Decodes a complete block and calls `field` for each field, in order.
  /// - Parameter limit: maximum size of all fields, in bytes as RFC 9113 §6.5.2 counts them.
  func decode(
    _ block: Span<UInt8>, atMost limit: Int = HTTP2.Limits.headerListBytes,
    _ field: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void
  ) -> Outcome {
    // Safe: the block is valid during the call; nghttp2's name and value are valid until its next call.
    unsafe block.withUnsafeBufferPointer { bytes in
      var offset = 0
      var listBytes = 0
      while true {
        var entry = unsafe nghttp2_nv()
        var flags: Int32 = 0
        let start = unsafe bytes.baseAddress.map { unsafe $0 + offset }
        let read = unsafe nghttp2_hd_inflate_hd2(inflater, &entry, &flags, start, bytes.count - offset, 1)
        guard read >= 0 else { return .malformed }
        offset += read
        if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
          unsafe listBytes += entry.namelen + entry.valuelen + HTTP2.Limits.fieldOverheadBytes
          guard listBytes <= limit else { return .tooLong }
          unsafe field(
            UnsafeBufferPointer(start: entry.name, count: entry.namelen),
            UnsafeBufferPointer(start: entry.value, count: entry.valuelen))
        }
        if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
          unsafe _ = nghttp2_hd_inflate_end_headers(inflater)
          return .whole
        }
        // No field was emitted and no input is left: the block ends in the middle of a field.
        if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) == 0, offset >= bytes.count { return .malformed }
      }
    }
  }
}
