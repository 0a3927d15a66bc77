internal import CNGHTTP2

/// nghttp2's callbacks of the client's role: each recovers the objects behind the pointers and calls one method.
///
/// Safe throughout: the session pointer is the object that is just calling into nghttp2, exchanges live as long as it,
/// and what nghttp2 lends is copied before the callback returns.
enum ClientCallbacks {
  /// nghttp2 copies it into each session.
  nonisolated(unsafe) static let shared: OpaquePointer? = {
    var callbacks: OpaquePointer?
    unsafe nghttp2_session_callbacks_new(&callbacks)
    unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, owner in
      guard let frame = unsafe frame, let session = unsafe session(owner) else { return 0 }
      unsafe session.received(frame)
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      native, frame, name, nameCount, value, valueCount, _, owner in
      guard let frame = unsafe frame, let session = unsafe session(owner),
        let exchange = unsafe exchange(native, upmc_frame_stream(frame))
      else { return 0 }
      unsafe session.receivedField(
        exchange, name: UnsafeBufferPointer(start: name, count: nameCount),
        value: UnsafeBufferPointer(start: value, count: valueCount))
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
      native, _, stream, data, count, owner in
      guard let session = unsafe session(owner), let exchange = unsafe exchange(native, stream) else { return 0 }
      unsafe session.receivedBody(exchange, UnsafeBufferPointer(start: data, count: count))
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { native, stream, code, owner in
      guard let session = unsafe session(owner), let exchange = unsafe exchange(native, stream) else { return 0 }
      session.closed(exchange, ErrorCode(rawValue: code))
      return 0
    }
    return unsafe callbacks
  }()

  /// Reads the next part of a request's body.
  static let readBody: nghttp2_data_source_read_callback = { _, _, buffer, limit, flags, source, owner in
    guard let buffer = unsafe buffer, let flags = unsafe flags, let session = unsafe session(owner),
      let pointer = unsafe upmc_source_pointer(source)
    else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
    let exchange = unsafe Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
    let count = unsafe exchange.readBody(into: buffer, limit: limit)
    session.sentBody(count)
    if exchange.unsentBodyBytes == 0 { unsafe upmc_end_of_body(flags) }
    return count
  }

  private static func session(_ owner: UnsafeMutableRawPointer?) -> ClientSession? {
    guard let owner = unsafe owner else { return nil }
    return unsafe Unmanaged<ClientSession>.fromOpaque(owner).takeUnretainedValue()
  }

  private static func exchange(_ native: OpaquePointer?, _ stream: Int32) -> Exchange? {
    guard let pointer = unsafe nghttp2_session_get_stream_user_data(native, stream) else { return nil }
    return unsafe Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
  }
}
