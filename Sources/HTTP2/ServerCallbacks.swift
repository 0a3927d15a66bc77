internal import CNGHTTP2
internal import Glibc

/// nghttp2's callbacks for the server role. Each recovers the Swift objects from the native pointers and calls one
/// method.
///
/// Memory safety: the session pointer refers to the object that is currently calling nghttp2, streams live as long as
/// that object, and data that nghttp2 owns is copied before the callback returns.
enum ServerCallbacks {
  /// The native callback table; nghttp2 copies it into each session.
  nonisolated(unsafe) static let shared: OpaquePointer? = {
    var callbacks: OpaquePointer?
    unsafe nghttp2_session_callbacks_new(&callbacks)
    unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { native, frame, owner in
      guard let frame = unsafe frame, let session = unsafe session(owner), unsafe upmc_frame_opens_request(frame) != 0
      else { return 0 }
      let id = unsafe upmc_frame_stream(frame)
      let stream = session.opened(id)
      unsafe _ = nghttp2_session_set_stream_user_data(native, id, Unmanaged.passUnretained(stream).toOpaque())
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      native, frame, name, nameCount, value, valueCount, flags, _ in
      guard let frame = unsafe frame,
        let pointer = unsafe nghttp2_session_get_stream_user_data(native, upmc_frame_stream(frame))
      else { return 0 }
      // Called for each header field of each request: `_withUnsafeGuaranteedRef` avoids reference counting.
      unsafe Unmanaged<ServerStream>.fromOpaque(pointer)._withUnsafeGuaranteedRef { stream in
        unsafe stream.addField(
          name: UnsafeBufferPointer(start: name, count: nameCount),
          value: UnsafeBufferPointer(start: value, count: valueCount),
          isNeverIndexed: flags & UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) != 0)
      }
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { native, frame, owner in
      guard let frame = unsafe frame, let session = unsafe session(owner) else { return 0 }
      unsafe session.received(frame, stream: stream(native, upmc_frame_stream(frame)))
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { native, _, id, data, count, owner in
      guard let session = unsafe session(owner), let stream = unsafe stream(native, id) else { return 0 }
      unsafe session.receivedBody(stream, UnsafeBufferPointer(start: data, count: count))
      return 0
    }
    unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { native, id, code, owner in
      guard let session = unsafe session(owner), let stream = unsafe stream(native, id) else { return 0 }
      session.closed(stream, ErrorCode(rawValue: code))
      return 0
    }
    return unsafe callbacks
  }()

  /// Provides nghttp2 with the next part of a response body.
  static let readAnswer: nghttp2_data_source_read_callback = { _, _, buffer, limit, flags, source, _ in
    guard let buffer = unsafe buffer, let flags = unsafe flags, let pointer = unsafe upmc_source_pointer(source) else {
      return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
    }
    let stream = unsafe Unmanaged<ServerStream>.fromOpaque(pointer).takeUnretainedValue()
    let rest = stream.answer.count - stream.answerOffset
    let count = min(rest, limit, stream.answerChunkBytes)
    if count == 0, !stream.answerEnds { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
    unsafe stream.answer.withUnsafeBytes { raw in
      guard let start = raw.baseAddress else { return }
      unsafe memcpy(buffer, start + stream.answerOffset, count)
    }
    stream.answerOffset += count
    if count == rest, stream.answerEnds { unsafe upmc_end_of_body(flags) }
    return count
  }

  private static func session(_ owner: UnsafeMutableRawPointer?) -> ServerSession? {
    guard let owner = unsafe owner else { return nil }
    return unsafe Unmanaged<ServerSession>.fromOpaque(owner).takeUnretainedValue()
  }

  private static func stream(_ native: OpaquePointer?, _ id: Int32) -> ServerStream? {
    guard id > 0, let pointer = unsafe nghttp2_session_get_stream_user_data(native, id) else { return nil }
    return unsafe Unmanaged<ServerStream>.fromOpaque(pointer).takeUnretainedValue()
  }
}
