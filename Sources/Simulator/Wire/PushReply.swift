internal import HTTP2

/// The answer to a request on its stream, sent at once, later or never. The service adapter encodes it.
struct PushReply {
  enum Content {
    /// The push was accepted, with status 200.
    case accepted
    /// Status 200, although nothing is delivered.
    case pretended
    case rejected(Effect.Answer, timestampMilliseconds: Int64?)
    case written(status: Int, fields: [HeaderField], body: [UInt8])
    case shaped(Effect.Shape)
  }

  let stream: ServerStream
  /// Id of the stream. Stream objects are reused, and a late answer must not go to another stream.
  let streamID: Int32
  let id: MessageID
  /// `apns-unique-id` for Apple's delivery log; only in the sandbox.
  let uniqueID: MessageID?
  let content: Content
  /// Name of the response header with the id.
  var idName = "apns-id"

  /// False if the stream was closed or its object reused.
  var isWanted: Bool { stream.id == streamID && !stream.isClosed }

  /// Body of the response of a proxy whose backend is unavailable.
  static let text = Array("<h1>503 Service Unavailable</h1>".utf8)
  static let textFields = [HeaderField("content-type", "text/html")]
}
