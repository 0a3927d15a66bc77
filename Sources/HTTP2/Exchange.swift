/// One open request and its answer inside a client's connection.
struct Exchange {
  var tag: UInt64
  var streamID: Int32
  /// Bytes of body that the peer takes on this stream; negative after it has lowered its windows.
  var sendWindow: Int
  /// What of the body waits for a window.
  var unsent: ArraySlice<UInt8> = []

  /// 0 until response headers came.
  var status = 0
  /// 1xx that came before.
  var announcements = 0
  var fields: [HeaderField] = []
  var body: [UInt8] = []
  /// Bytes of body received since the last WINDOW_UPDATE of this stream.
  var unacknowledgedBytes = 0

  func end(_ code: ErrorCode) -> StreamEnd {
    StreamEnd(tag: tag, streamID: streamID, status: status, fields: fields, body: body, errorCode: code)
  }
}
