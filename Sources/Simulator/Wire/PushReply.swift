internal import HTTP2

/// An answer in the making: to which stream, and what. May be sent at once, later, or never; the door writes it.
struct PushReply {
  enum Content {
    /// 200.
    case accepted
    /// 200, though nothing was delivered.
    case pretended
    case rejected(Effect.Answer, timestampMilliseconds: Int64?)
    case written(status: Int, fields: [HeaderField], body: [UInt8])
    case shaped(Effect.Shape)
  }

  let stream: ServerStream
  /// Streams are reused: an answer that comes late must find the same one.
  let streamID: Int32
  let id: MessageID
  /// For the delivery log of the Push Notifications Console; only in the sandbox.
  let uniqueID: MessageID?
  let content: Content
  /// Under which the id is answered.
  var idName = "apns-id"

  /// False when the client took the stream back.
  var isWanted: Bool { stream.id == streamID && !stream.isClosed }

  /// What a proxy in front of a service says when the service is away.
  static let text = Array("<h1>503 Service Unavailable</h1>".utf8)
  static let textFields = [HeaderField("content-type", "text/html")]
}
