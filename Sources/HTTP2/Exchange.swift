/// An open request of a client connection and its response.
struct Exchange {
  var tag: UInt64
  var streamID: Int32
  /// The body bytes that the stream's flow-control window allows; negative after the peer has reduced its window.
  var sendWindow: Int
  /// The part of the request body blocked by flow control.
  var unsent: ArraySlice<UInt8> = []

  /// The status of the response; 0 until its headers arrive.
  var status = 0
  /// The number of 1xx responses received.
  var announcements = 0
  var fields: [HeaderField] = []
  var body: [UInt8] = []
  /// The number of body bytes received since this stream's last WINDOW_UPDATE.
  var unacknowledgedBytes = 0

  func end(_ code: ErrorCode) -> StreamEnd {
    StreamEnd(tag: tag, streamID: streamID, status: status, fields: fields, body: body, errorCode: code)
  }
}
