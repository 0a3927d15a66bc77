internal import HTTP2

/// An answer to be sent on a stream, at once, later or never. The service adapter encodes it.
struct PushReply {
  enum Content {
    /// The push was accepted, with status 200.
    case accepted
    /// Status 200, although nothing was delivered.
    case pretended
    case rejected(Effect.Answer, timestampMilliseconds: Int64?)
    case written(status: Int, fields: [HeaderField], body: [UInt8])
    case shaped(Effect.Shape)
  }

  let stream: ServerStream
  /// Id of the stream, because stream objects are reused: a late answer must go to the same stream.
  let streamID: Int32
  let id: MessageID
  /// `apns-unique-id` for Apple's delivery log; only in the sandbox.
  let uniqueID: MessageID?
  let content: Content
  /// Name of the response header with the id.
  var idName = "apns-id"

  /// False if the client has cancelled the stream.
  var isWanted: Bool { stream.id == streamID && !stream.isClosed }

  /// Body of a proxy's response when the service behind it is unavailable.
  static let text = Array("<h1>503 Service Unavailable</h1>".utf8)
  static let textFields = [HeaderField("content-type", "text/html")]
}
