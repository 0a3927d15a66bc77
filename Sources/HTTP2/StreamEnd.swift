/// How a request ended.
package struct StreamEnd: Sendable {
  /// What the owner gave at `submit`.
  package let tag: UInt64
  package let streamID: Int32
  /// HTTP status of the answer; 0 when no response headers came.
  package let status: Int
  /// Header fields of the answer without `:status`; only kept when the status is not 200, or when configured.
  package let fields: [HeaderField]
  /// The answer's body, as much as is kept.
  package let body: [UInt8]
  /// `noError` when the answer is whole.
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

  /// The server never processed it and it can be sent again without any risk (RFC 9113 §8.7).
  package var isNotProcessed: Bool { status == 0 && errorCode == .refusedStream }

  /// The value of the first field with this (lower-case) name.
  package func value(of name: String) -> String? {
    fields.first { $0.name == name }?.value
  }
}
