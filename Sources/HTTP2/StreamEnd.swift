/// How a request ended.
package struct StreamEnd: Sendable {
  /// The `tag` passed to `submit`.
  package let tag: UInt64
  package let streamID: Int32
  /// HTTP status of the response; 0 if no response headers arrived.
  package let status: Int
  /// Response header fields without `:status`; kept only if the status is not 200, or if so configured.
  package let fields: [HeaderField]
  /// The response body, as much as was kept.
  package let body: [UInt8]
  /// `noError` if the response is complete.
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

  /// The server did not process the request, so it can safely be sent again (RFC 9113 §8.7).
  package var isNotProcessed: Bool { status == 0 && errorCode == .refusedStream }

  /// The first value of the field `name` (lower case).
  package func value(of name: String) -> String? {
    fields.first { $0.name == name }?.value
  }
}
