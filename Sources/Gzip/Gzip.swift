internal import CZLib

/// Compression by gzip (RFC 1952), for what is made once and sent often: the console's files, the handbook, the API's
/// description. One pure function over the system's zlib.
///
/// Its level is the best, which is slow, so nothing that is made for one request belongs here. Nothing that holds a secret
/// belongs here either: beside text of somebody else's choice, the length of what is compressed tells it.
package enum Gzip {
  /// Returns `bytes` as one gzip member: without a name or time, so the same bytes always compress to the same.
  /// Slow, at the best level: some 40 ms for a megabyte of text.
  /// - Returns: nil if zlib fails, which it does only without memory.
  package static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = unsafe z_stream()
    guard unsafe czlib_gzip_init(&stream, Z_BEST_COMPRESSION) == Z_OK else { return nil }
    defer { unsafe deflateEnd(&stream) }
    guard let most = unsafe Int(exactly: deflateBound(&stream, UInt(bytes.count))),
      let input = UInt32(exactly: bytes.count), let room = UInt32(exactly: most)
    else { return nil }
    var isWhole = false
    var source = bytes
    let compressed = unsafe [UInt8](unsafeUninitializedCapacity: most) { output, count in
      unsafe source.withUnsafeMutableBufferPointer { source in
        unsafe stream.next_in = source.baseAddress
        unsafe stream.avail_in = input
        unsafe stream.next_out = output.baseAddress
        unsafe stream.avail_out = room
        isWhole = unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END
        count = unsafe most - Int(stream.avail_out)
      }
    }
    return isWhole ? compressed : nil
  }
}
