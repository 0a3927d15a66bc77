internal import CNGHTTP2
internal import Reactor

/// Owns an nghttp2 session and wraps what client and server roles have in common: receiving and sending bytes.
///
/// nghttp2 keeps a pointer to the role object and calls it back only during `receive` and `nextFrame`.
@safe
struct Engine: ~Copyable {
  /// The native session, valid for the lifetime of this value.
  let session: OpaquePointer

  init(takingOwnership session: OpaquePointer) {
    unsafe self.session = session
  }

  deinit {
    unsafe nghttp2_session_del(session)
  }

  /// Passes all of `bytes` to nghttp2.
  func receive(_ bytes: inout ByteBuffer) throws(HTTP2Error) {
    let count = bytes.count
    guard count > 0 else { return }
    // Safe: the buffer is valid during the call, and nghttp2 copies what it keeps.
    let code = unsafe bytes.withUnsafeReadable { raw in
      unsafe nghttp2_session_mem_recv(session, raw.baseAddress?.assumingMemoryBound(to: UInt8.self), raw.count)
    }
    bytes.consume(count)
    if code < 0 { throw HTTP2Error("receive", code: code) }
  }

  /// Appends the next sendable frame. Returns false if there is none.
  func nextFrame(appendingTo buffer: inout ByteBuffer) throws(HTTP2Error) -> Bool {
    var start: UnsafePointer<UInt8>?
    let count = unsafe nghttp2_session_mem_send(session, &start)
    if count < 0 { throw HTTP2Error("send", code: count) }
    guard count > 0, let start = unsafe start else { return false }
    // Safe: `count` bytes, valid until the next call into the session.
    unsafe buffer.append(UnsafeRawBufferPointer(start: start, count: count))
    return true
  }

  var wantsWrite: Bool { unsafe nghttp2_session_want_write(session) != 0 }

  var isFinished: Bool {
    unsafe nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
  }

  /// Queues a SETTINGS frame with these entries.
  func submit(_ settings: [Setting]) throws(HTTP2Error) {
    let entries = settings.map { nghttp2_settings_entry(settings_id: Int32($0.identifier), value: $0.value) }
    let code = unsafe nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
    if code != 0 { throw HTTP2Error("submit settings", code: Int(code)) }
  }

  /// Queues a PING.
  func ping(_ payload: UInt64) {
    var bytes = payload.bigEndian
    unsafe withUnsafeBytes(of: &bytes) { raw in
      // Fails only when memory is exhausted; the caller's timeout then notices the missing acknowledgement.
      unsafe _ = nghttp2_submit_ping(
        session, UInt8(NGHTTP2_FLAG_NONE.rawValue), raw.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
  }
}

/// Decodes the frames that nghttp2 passes to its callbacks.
enum Frame {
  static func settings(_ frame: UnsafePointer<nghttp2_frame>) -> [Setting] {
    // Safe: nghttp2 provides `niv` entries, valid during the callback.
    let entries = unsafe UnsafeBufferPointer(start: frame.pointee.settings.iv, count: frame.pointee.settings.niv)
    return unsafe entries.map { Setting(identifier: UInt16(truncatingIfNeeded: $0.settings_id), value: $0.value) }
  }

  static func goAway(_ frame: UnsafePointer<nghttp2_frame>) -> GoAway {
    let goAway = unsafe frame.pointee.goaway
    // Safe: nghttp2 provides `opaque_data_len` bytes, valid during the callback.
    let data = unsafe UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
    return unsafe GoAway(
      lastStreamID: goAway.last_stream_id, errorCode: ErrorCode(rawValue: goAway.error_code), debugData: Array(data))
  }

  static func pingPayload(_ frame: UnsafePointer<nghttp2_frame>) -> UInt64 {
    let bytes = unsafe frame.pointee.ping.opaque_data
    return unsafe withUnsafeBytes(of: bytes) { raw in
      UInt64(bigEndian: unsafe raw.loadUnaligned(as: UInt64.self))
    }
  }
}
