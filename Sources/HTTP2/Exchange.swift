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

/// The result of a request.
package struct StreamEnd: Sendable {
  /// The `tag` passed to `submit`.
  package let tag: UInt64
  package let streamID: Int32
  /// The HTTP status of the response; 0 if no response headers arrived.
  package let status: Int
  /// The response header fields without `:status`. Empty for status 200, unless configured to be kept.
  package let fields: [HeaderField]
  /// The response body, empty or cut off if the request failed.
  package let body: [UInt8]
  /// The error code of the stream's end; `noError` if the response is complete.
  package let errorCode: ErrorCode

  package init(
    tag: UInt64, streamID: Int32, status: Int, fields: [HeaderField], body: [UInt8], errorCode: ErrorCode
  ) {
    self.tag = tag
    self.streamID = streamID
    self.status = status
    self.fields = fields
    self.body = body
    self.errorCode = errorCode
  }

  /// True if the server guarantees that it did not process the request, so that it can safely be sent again (RFC 9113
  /// §8.7).
  package var isNotProcessed: Bool { status == 0 && errorCode == .refusedStream }

  /// Returns the first value of the field `name` (lower case); nil if absent.
  package func value(of name: String) -> String? {
    fields.first { $0.name == name }?.value
  }
}
