internal import CZLib

/// Compresses by gzip (RFC 1952) what is created once and sent often: the console's files, the handbook, the API's
/// description. One pure function over the system's zlib.
///
/// Uses the highest compression level, which is slow, so do not compress data created for a single request. Do not
/// compress secrets either: beside text that an attacker chooses, the length of the result reveals them.
package enum Gzip {
  /// Returns `bytes` as one gzip member, without a name or time, so that equal input always compresses to equal output;
  /// nil if zlib fails, which it does only without memory. Takes some 40 ms for a megabyte of text.
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
